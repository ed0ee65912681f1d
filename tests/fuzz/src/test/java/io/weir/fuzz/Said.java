package io.weir.fuzz;

import static io.weir.fuzz.Hostile.check;

import io.weir.core.ProtocolMismatch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/** What a peer says of a path: a card, which is text, or an offer. The first byte of an input says which it is. */
public final class Said {

    private static final int OFFER = 1;

    /** The offer is from the other side, where the sides differ. */
    private static final int OTHER = 2;

    private Said() {}

    /** Who looks at an offer. */
    public interface Offered {
        void offered(byte[] offer, boolean other);
    }

    /** An input with this card. */
    public static byte[] card(String card) {
        return input(0, card.getBytes(StandardCharsets.UTF_8));
    }

    /** An input with this offer. */
    public static byte[] offer(byte[] offer) {
        return input(OFFER, offer);
    }

    /** An input with this offer of the other side. */
    public static byte[] otherOffer(byte[] offer) {
        return input(OFFER | OTHER, offer);
    }

    /** A byte, and what is behind it. */
    public static byte[] input(int first, byte[] rest) {
        byte[] input = new byte[1 + rest.length];
        input[0] = (byte) first;
        System.arraycopy(rest, 0, input, 1, rest.length);
        return input;
    }

    /** Shows the input to one of these, who may only find that it breaks the protocol. */
    public static void look(byte[] input, Consumer<String> shown, Offered offered) {
        if (input.length == 0) {
            return;
        }
        byte[] said = Arrays.copyOfRange(input, 1, input.length);
        try {
            if ((input[0] & OFFER) != 0) {
                offered.offered(said, (input[0] & OTHER) != 0);
            } else {
                shown.accept(new String(said, StandardCharsets.UTF_8));
            }
        } catch (ProtocolMismatch e) {
            check(!e.getMessage().isEmpty(), "a refusal without a reason");
        }
    }
}
