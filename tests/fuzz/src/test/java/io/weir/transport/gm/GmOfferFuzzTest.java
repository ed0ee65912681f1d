package io.weir.transport.gm;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.rdma.SlotPlan;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer says of itself, and offers for GM: it is refused as a breach of the protocol, or is the same when it
 * is encoded.
 */
class GmOfferFuzzTest {

    private static final int OFFER = 1;
    private static final SlotPlan PLAN = new SlotPlan(SlotPlan.LEAST_SLOTS, SlotPlan.LEAST_BYTES);

    static Stream<byte[]> seeds() {
        return Stream.of(
                card(GmCard.encode()),
                card("2"),
                card("x"),
                input(OFFER, new GmOffer(0x0060_dd01, 2, 77, PLAN).encode()),
                input(OFFER, new GmOffer(-1, 255, -1, PLAN).encode()),
                input(OFFER, new GmOffer(1, 256, 1, PLAN).encode()),
                input(OFFER, new GmOffer(0, 1, 1, PLAN).encode()));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsTakenIsTheSameWhenItIsEncoded(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] said = Arrays.copyOfRange(input, 1, input.length);
        try {
            if ((input[0] & OFFER) != 0) {
                offered(said);
            } else {
                shown(new String(said, StandardCharsets.UTF_8));
            }
        } catch (ProtocolMismatch e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
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

    private static byte[] card(String text) {
        return input(0, text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] input(int what, byte[] said) {
        byte[] input = new byte[1 + said.length];
        input[0] = (byte) what;
        System.arraycopy(said, 0, input, 1, said.length);
        return input;
    }
}
