package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.ProtocolMismatch;
import io.weir.transport.rdma.SlotPlan;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerbsOfferTest {

    private static final Gid GID = Gid.parse("0000:0000:0000:0000:0000:ffff:0a63:0001");

    private static final VerbsOffer ROCE =
            new VerbsOffer(LinkLayer.ROCE, 3, 16, 0, GID, 0x11, 0xabcdef, new SlotPlan(32, 40960));

    private static final VerbsOffer INFINIBAND = new VerbsOffer(
            LinkLayer.INFINIBAND, 5, 255, 0xbfff, new Gid(0, 0), 0xffffff, 0, new SlotPlan(1024, 1 << 20));

    private static final String GOLDEN = "5745495201000000" // magic, version
            + "0203100000000000" // RoCE, 1024 bytes, 16 reads, no LID
            + "00000000000000000000ffff0a630001"
            + "11000000efcdab00"
            + "2000000000a00000";

    @Test
    void hasTheseBytes() {
        assertThat(HexFormat.of().formatHex(ROCE.encode())).isEqualTo(GOLDEN);
        assertThat(VerbsOffer.decode(HexFormat.of().parseHex(GOLDEN))).isEqualTo(ROCE);
    }

    @Test
    void isReadAsItWasWritten() {
        assertThat(VerbsOffer.decode(INFINIBAND.encode())).isEqualTo(INFINIBAND);
    }

    @ParameterizedTest
    @CsvSource({
        " 0,       00, beginning",
        " 4,       02, version is 2",
        " 8,       00, link layer is 0",
        " 8,       03, link layer is 3",
        " 8,       ff, link layer",
        " 9,       00, longest packet is 0",
        " 9,       06, longest packet is 6",
        " 9,       ff, longest packet",
        "10,       00, reads at once is 0",
        "11,       01, reserved",
        "14,       01, reserved",
        "15,       80, reserved",
        "16,       ff, the GID ff",
        "32, 00000000, connection is 0",
        "32, 01000000, connection is 1",
        "32, 00000001, connection",
        "32, ffffffff, connection is -1",
        "36, 00000001, first packet",
        "36, ffffffff, first packet is -1",
        "40, 07000000, number of slots is 7",
        "40, 01040000, number of slots is 1025",
        "40, ffffffff, number of slots is -1",
        "44, ff8f0000, bytes of a slot is 36863",
        "44, 08001000, bytes of a slot is 1048584",
        "44, 01a00000, bytes of a slot is 40961",
        "44, 00000080, bytes of a slot is -2147483648"
    })
    void whatCanNotBeUsedIsNamed(int at, String bytes, String text) {
        byte[] offer = ROCE.encode();
        byte[] wrong = HexFormat.of().parseHex(bytes);
        System.arraycopy(wrong, 0, offer, at, wrong.length);
        assertThatThrownBy(() -> VerbsOffer.decode(offer))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining(text);
    }

    @ParameterizedTest
    @CsvSource({"0000", "00c0", "ffff"})
    void onInfinibandTheLidIsThatOfAPort(String lid) {
        byte[] offer = INFINIBAND.encode();
        System.arraycopy(HexFormat.of().parseHex(lid), 0, offer, 12, 2);
        assertThatThrownBy(() -> VerbsOffer.decode(offer))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("LID");
    }

    @Test
    void onEthernetThereIsAGid() {
        byte[] offer = ROCE.encode();
        Arrays.fill(offer, 16, 32, (byte) 0);
        assertThatThrownBy(() -> VerbsOffer.decode(offer))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("the GID 0000");
    }

    @Test
    void anotherLengthIsNotRead() {
        for (int length : new int[] {0, 4, 47, 49, 4096}) {
            assertThatThrownBy(() -> VerbsOffer.decode(Arrays.copyOf(ROCE.encode(), length)))
                    .isInstanceOf(ProtocolMismatch.class)
                    .hasMessageContaining("length is " + length);
        }
    }

    @Test
    void anyBytesAreReadOrRefused() {
        Random random = new Random(7);
        for (int round = 0; round < 100_000; round++) {
            byte[] offer = round % 2 == 0 ? ROCE.encode() : INFINIBAND.encode();
            for (int change = random.nextInt(4); change >= 0; change--) {
                offer[random.nextInt(offer.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(VerbsOffer.decode(offer).encode()).isEqualTo(offer);
            } catch (ProtocolMismatch e) {
                assertThat(e).hasMessageContaining("the peer's offer for verbs");
            }
        }
    }
}
