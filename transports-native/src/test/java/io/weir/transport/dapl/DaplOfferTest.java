package io.weir.transport.dapl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Network;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.rdma.SlotPlan;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DaplOfferTest {

    private static final String ADDRESS = "020000000a630001" + "00".repeat(20);

    private static final String GOLDEN = "5745495201000000" // magic, version
            + ADDRESS
            + "10000000"
            + "ea03000000000000"
            + "000102030405060708090a0b0c0d0e0f"
            + "2000000000a00000";

    private static byte[] golden() {
        return HexFormat.of().parseHex(GOLDEN);
    }

    @Test
    void hasTheseBytes() {
        byte[] nonce = new byte[Nonce.BYTES];
        for (int i = 0; i < nonce.length; i++) {
            nonce[i] = (byte) i;
        }
        DaplOffer offer = new DaplOffer(
                Objects.requireNonNull(
                        DaplAddress.at(ByteBuffer.wrap(HexFormat.of().parseHex(ADDRESS)))),
                16,
                1002,
                new Nonce(nonce),
                new SlotPlan(32, 40960));
        assertThat(HexFormat.of().formatHex(offer.encode())).isEqualTo(GOLDEN);
        DaplOffer read = DaplOffer.decode(golden(), true);
        assertThat(read.encode()).isEqualTo(golden());
        assertThat(read.address()).hasToString("10.99.0.1");
    }

    @ParameterizedTest
    @CsvSource({
        " 0,       00, beginning",
        " 4,       02, version is 2",
        " 8,       00, address",
        " 8,       0b, address",
        " 9,       01, address",
        "12, 00000000, address",
        "12,       e0, address",
        "12, ffffffff, address",
        "24,       01, address",
        "36, 00000000, reads at once is 0",
        "36, ffffffff, reads at once is -1",
        "40,     0000, connection qualifier is 0",
        "64, 07000000, number of slots is 7",
        "64, ffffffff, number of slots is -1",
        "68, 01a00000, bytes of a slot is 40961",
        "68, 00000080, bytes of a slot is -2147483648"
    })
    void whatCanNotBeUsedIsNamed(int at, String bytes, String text) {
        byte[] offer = golden();
        byte[] wrong = HexFormat.of().parseHex(bytes);
        System.arraycopy(wrong, 0, offer, at, wrong.length);
        assertThatThrownBy(() -> DaplOffer.decode(offer, true))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining(text);
    }

    @Test
    void whoConnectsListensNowhere() {
        assertThatThrownBy(() -> DaplOffer.decode(golden(), false))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("connection qualifier is 1002");
    }

    @Test
    void whoConnectsNeedNoQualifier() {
        byte[] offer = golden();
        Arrays.fill(offer, 40, 48, (byte) 0);
        assertThat(DaplOffer.decode(offer, false).encode()).isEqualTo(offer);
    }

    @Test
    void addressesMayBeLong() {
        byte[] offer = golden();
        byte[] address = HexFormat.of().parseHex("0a000000000000002001" + "00".repeat(13) + "0100000000");
        System.arraycopy(address, 0, offer, 8, address.length);
        assertThat(DaplOffer.decode(offer, true).encode()).isEqualTo(offer);
        assertThat(DaplOffer.decode(offer, true).address()).hasToString("2001:0:0:0:0:0:0:1");
    }

    @Test
    void onlyWhatIsOnTheNetworkOfOursOrOfTheConfigurationIsReached() {
        DaplAddress ours = address("7f000001");
        assertThat(ours.reaches(address("7f000102"), List.of())).isTrue();
        assertThat(ours.reaches(address("0a630001"), List.of())).isFalse();
        assertThat(ours.reaches(address("0a630001"), List.of(Objects.requireNonNull(Network.read("10.99.0.0/24")))))
                .isTrue();
        assertThat(address("0a630001").reaches(address("0a630002"), List.of()))
                .as("where no interface has our address")
                .isFalse();
    }

    private static DaplAddress address(String inet) {
        byte[] bytes = HexFormat.of().parseHex("02000000" + inet + "00".repeat(20));
        return Objects.requireNonNull(DaplAddress.at(ByteBuffer.wrap(bytes)));
    }

    @Test
    void anotherLengthIsNotRead() {
        for (int length : new int[] {0, 4, 71, 73, 4096}) {
            assertThatThrownBy(() -> DaplOffer.decode(Arrays.copyOf(golden(), length), true))
                    .isInstanceOf(ProtocolMismatch.class)
                    .hasMessageContaining("length is " + length);
        }
    }

    @Test
    void anyBytesAreReadOrRefused() {
        Random random = new Random(7);
        for (int round = 0; round < 100_000; round++) {
            byte[] offer = golden();
            for (int change = random.nextInt(4); change >= 0; change--) {
                offer[random.nextInt(offer.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(DaplOffer.decode(offer, true).encode()).isEqualTo(offer);
            } catch (ProtocolMismatch e) {
                assertThat(e).hasMessageContaining("the peer's offer for dapl");
            }
        }
    }
}
