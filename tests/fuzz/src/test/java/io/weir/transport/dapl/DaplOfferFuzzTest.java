package io.weir.transport.dapl;

import static io.weir.fuzz.Said.card;
import static io.weir.fuzz.Said.look;
import static io.weir.fuzz.Said.offer;
import static io.weir.fuzz.Said.otherOffer;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.rdma.SlotPlan;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer says of its provider, and offers for uDAPL: it is refused as a breach of the protocol, or is the same
 * when it is encoded; and its address is that of one host.
 */
class DaplOfferFuzzTest {

    private static final SlotPlan PLAN = new SlotPlan(SlotPlan.LEAST_SLOTS, SlotPlan.MOST_BYTES);

    private static byte[] encoded(byte[] address, long qualifier) {
        DaplAddress at = Objects.requireNonNull(DaplAddress.at(ByteBuffer.wrap(address)));
        return new DaplOffer(at, 4, qualifier, new Nonce(new byte[Nonce.BYTES]), PLAN).encode();
    }

    static Stream<byte[]> seeds() {
        byte[] inet = new byte[DaplAddress.BYTES];
        inet[0] = 2;
        inet[4] = 10;
        inet[7] = 1;
        byte[] inet6 = new byte[DaplAddress.BYTES];
        inet6[0] = 10;
        inet6[8] = (byte) 0xfe;
        inet6[9] = (byte) 0x80;
        inet6[23] = 1;
        inet6[24] = 3;
        byte[] mapped = new byte[DaplAddress.BYTES];
        mapped[0] = 10;
        Arrays.fill(mapped, 18, 24, (byte) 0xff);
        byte[] nobody = new byte[DaplAddress.BYTES];
        nobody[0] = 2;
        return Stream.of(
                card(new DaplCard("rdma-cm").encode()),
                card("2 rdma-cm"),
                card("1 "),
                otherOffer(encoded(inet, 7)),
                offer(encoded(inet6, 0)),
                offer(encoded(mapped, 0)),
                offer(encoded(nobody, 0)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsTakenIsTheSameWhenItIsEncoded(byte[] input) {
        look(input, DaplOfferFuzzTest::shown, DaplOfferFuzzTest::offered);
    }

    private static void offered(byte[] said, boolean otherSide) {
        DaplOffer offer = DaplOffer.decode(said, otherSide);
        assertThat(offer.encode()).isEqualTo(said);
        assertThat(offer.maxReads()).isPositive();
        assertThat(offer.qualifier() != 0).isEqualTo(otherSide);
        assertThat(offer.address().toString()).isNotIn("0.0.0.0", "255.255.255.255", "0:0:0:0:0:0:0:0");
    }

    private static void shown(String said) {
        DaplCard card = DaplCard.decode(said);
        assertThat(card.encode()).matches("1 [A-Za-z0-9-]+");
        assertThat(DaplCard.decode(card.encode())).isEqualTo(card);
        assertThat(card.separates(card)).isNull();
    }
}
