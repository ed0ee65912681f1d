package io.weir.core;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One kind of path, found through {@link java.util.ServiceLoader}. The same on the connecting and on the accepting side.
 * Implementations have no state of their own and no constructor arguments.
 */
public interface Transport {

    /** The path's name as it stands in properties, cards, metrics and logs: lower-case letters and digits. */
    String name();

    /** Names of the options that this path knows, each set as {@code weir.transport.<name>.<option>}. */
    default Set<String> options() {
        return Set.of();
    }

    /**
     * Whether this process can use the path at all. Loads native libraries if it must, so it may block and is never called on
     * a loop; never throws for something that is absent.
     */
    Availability availability(TransportSettings settings);

    /**
     * Whether a peer with this card may be reached by this path. A pure look at both cards, without I/O.
     *
     * @return null if it may be; otherwise the reason why not, as a sentence
     */
    @Nullable
    String reaches(PeerCard self, PeerCard peer);

    /**
     * Whether others than the users of the two processes can neither read nor change what goes over this path. Paths that can't promise
     * it are left out where encryption is required.
     */
    default boolean isPrivate(TransportSettings settings) {
        return false;
    }

    /**
     * Begins our half of a link. Called on the request's loop; must not block.
     *
     * @throws WeirException if our half can't be made; the next path is tried then
     */
    PendingLink prepare(LinkRequest request);
}
