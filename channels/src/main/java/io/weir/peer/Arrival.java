package io.weir.peer;

import io.weir.core.PeerId;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What has become of a connection that somebody else has made to a node. Immutable.
 *
 * @param at when that was decided
 * @param from where it comes from: an address in figures as the kernel knows it, {@code uid} and the number of a user
 *     of this host, {@code gateway} and the gateway's name, or empty if nobody says
 * @param claimed who it says it is; null if it has not said so
 * @param identity what it has proved; null before that
 * @param encrypted whether nobody in between can read the connection
 * @param reason in words why it did not come in; empty if it did. May hold words that the other side has chosen,
 *     without control characters
 */
public record Arrival(
        Instant at,
        String from,
        @Nullable PeerId claimed,
        @Nullable Identity identity,
        boolean encrypted,
        Outcome outcome,
        String reason) {

    /** How a connection has ended, or begun. */
    public enum Outcome {
        /** A session has begun over it. */
        CONNECTED,
        /** A session that there was goes on over it. */
        RESUMED,
        /** It was left, as another connection with the same peer is kept, or has to be made. */
        SUPERSEDED,
        /** Its TLS handshake has failed: a side does not trust the other, does not speak TLS, or has given up. */
        NO_TLS,
        /** It was refused, as it has not proved what it has to. */
        UNPROVED,
        /** It was refused, as a bound was reached. */
        OVERLOADED,
        /** It was refused for another reason, such as what the configuration requires, or as the node is leaving. */
        REFUSED,
        /** It was refused, as it broke the protocol. */
        BREACH,
        /** It was ended, as it took too long. */
        TIMED_OUT,
        /** The other side has ended it, or refused us. */
        GONE
    }

    public Arrival {
        Objects.requireNonNull(at, "at");
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(reason, "reason");
    }

    /** Whether there is a session because of it. */
    public boolean cameIn() {
        return outcome == Outcome.CONNECTED || outcome == Outcome.RESUMED;
    }

    /** In one line, as it stands in the log {@code io.weir.audit}. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder("outcome=").append(outcome);
        append(line, "from", from);
        append(line, "peer", claimed == null ? "" : claimed.name());
        append(line, "id", claimed == null ? "" : claimed.id().toString());
        if (identity != null) {
            line.append(" secret=").append(identity.knowsSecret());
            append(line, "principal", identity.principal() == null ? "" : identity.principal());
        }
        line.append(" encrypted=").append(encrypted);
        append(line, "reason", reason);
        return line.toString();
    }

    /** The value's own quotation marks become apostrophes, so that a peer's name can't pretend to be another field. */
    private static void append(StringBuilder line, String key, String value) {
        if (!value.isEmpty()) {
            line.append(' ')
                    .append(key)
                    .append("=\"")
                    .append(value.replace('"', '\''))
                    .append('"');
        }
    }
}
