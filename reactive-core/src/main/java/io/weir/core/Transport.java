package io.weir.core;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * One kind of path, found through {@link java.util.ServiceLoader}. The same on the connecting and on the accepting
 * side. Implementations have no state of their own and no constructor arguments.
 */
public interface Transport {

    /** The path's name as it stands in properties, cards, metrics and logs: lower-case letters and digits. */
    String name();

    /** Names of the options that this path knows, each set as {@code weir.transport.<name>.<option>}. */
    default Set<String> options() {
        return Set.of();
    }

    /**
     * Whether this process can use the path at all. Loads native libraries if it must, so it may block and is never
     * called on a loop; never throws for something that is absent.
     */
    Availability availability(TransportSettings settings);

    /**
     * What becomes of the device behind this path after {@link #availability} has said that it is ready:
     * {@link Availability.Missing} when it should not be used any more, {@link Availability.Ready} when it can be used
     * again. Sessions leave a path whose device is missing, in good order, and come back to it; nobody proposes it
     * meanwhile. A link that is broken says so itself, with {@link LinkHandler#lost}: a report neither ends links nor
     * is needed when they end.
     *
     * <p>Subscribed to once by each node that is open, with unbounded demand, and cancelled when it closes. Signals may
     * come on any thread, one at a time; the subscription must not block. Without a device that could go, which is the
     * default, nothing is reported.
     */
    default Flux<Availability> reports(TransportSettings settings) {
        return Flux.never();
    }

    /**
     * Whether a peer with this card may be reached by this path. A pure look at both cards, without I/O.
     *
     * @return null if it may be; otherwise the reason why not, as a sentence
     */
    @Nullable
    String reaches(PeerCard self, PeerCard peer);

    /**
     * Whether others than the users of the two processes can neither read nor change what goes over this path. Paths
     * that can't promise it are left out where encryption is required.
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
