package io.weir.transport.gm;

import static io.weir.fuzz.Said.card;
import static io.weir.fuzz.Said.look;
import static io.weir.fuzz.Said.offer;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.transport.rdma.SlotPlan;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer says of itself, and offers for GM: it is refused as a breach of the protocol, or is the same when it
 * is encoded.
 */
class GmOfferFuzzTest {

    private static final SlotPlan PLAN = new SlotPlan(SlotPlan.LEAST_SLOTS, SlotPlan.LEAST_BYTES);

    static Stream<byte[]> seeds() {
        return Stream.of(
                card(GmCard.encode()),
                card("2"),
                card("x"),
                offer(new GmOffer(0x0060_dd01, 2, 77, PLAN).encode()),
                offer(new GmOffer(-1, 255, -1, PLAN).encode()),
                offer(new GmOffer(1, 256, 1, PLAN).encode()),
                offer(new GmOffer(0, 1, 1, PLAN).encode()));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsTakenIsTheSameWhenItIsEncoded(byte[] input) {
        look(input, GmOfferFuzzTest::shown, (offer, other) -> offered(offer));
    }

    private static void offered(byte[] said) {
        GmOffer offer = GmOffer.decode(said);
        assertThat(offer.encode()).isEqualTo(said);
        assertThat(offer.port()).isBetween(1, 255);
        assertThat(offer.globalNode()).isNotZero();
        assertThat(offer.link()).isNotZero();
    }

    private static void shown(String said) {
        assertThat(GmCard.checked(said)).isEqualTo(said);
        assertThat(Integer.parseInt(said)).isEqualTo(GmOffer.VERSION);
    }
}
