package io.weir.transport.stream;

import io.weir.core.PeerCard;
import io.weir.core.ProtocolMismatch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the cards of all paths have in common: a text for each path, that both sides look at before a link is prepared.
 */
public final class CardFormat {

    private CardFormat() {}

    /** What two cards say about whether their owners can meet. */
    @FunctionalInterface
    public interface Comparison<C> {

        /** Why they can't; null if they can. */
        @Nullable
        String separates(C ours, C theirs);
    }

    /**
     * Compares what both cards say of a path.
     *
     * @param decode reads it; throws {@link ProtocolMismatch} if it can't be used
     * @return why both can't meet, as a sentence; null if they can
     */
    public static <C> @Nullable String separates(
            String path, PeerCard self, PeerCard peer, Function<String, C> decode, Comparison<C> comparison) {
        try {
            C ours = decode.apply(self.ready().getOrDefault(path, ""));
            C theirs = decode.apply(peer.ready().getOrDefault(path, ""));
            return comparison.separates(ours, theirs);
        } catch (ProtocolMismatch e) {
            return "the cards of both sides do not match: " + e.getMessage();
        }
    }
}
