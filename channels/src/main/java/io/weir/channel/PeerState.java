package io.weir.channel;

import io.weir.core.PeerAddress;
import java.time.Instant;
import java.util.Optional;

/**
 * How it stands with a peer that the configuration names. About the connection that this node has under that name, or
 * tries to have; one that was begun otherwise appears here when {@link Node#peer} is asked for it.
 *
 * @param name as configured
 * @param address where it is tried
 * @param status whether there is a connection
 * @param since since when there is one, or is none; since the node began if there never was one
 * @param lastFailure why the last try failed or the last connection ended; empty if neither has happened
 * @param nextTry when it is tried again by itself; empty if it is connected, or just tried, or nobody wants it
 */
public record PeerState(
        String name,
        PeerAddress address,
        Status status,
        Instant since,
        Optional<String> lastFailure,
        Optional<Instant> nextTry) {

    /** Whether there is a connection. */
    public enum Status {
        /** It can be used. */
        CONNECTED,
        /** There is none, and a try is under way. */
        CONNECTING,
        /** There is none, and no try is under way. So it is also with a peer that nobody has asked for. */
        AWAY
    }
}
