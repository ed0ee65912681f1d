package io.weir.channel;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which call it is.
 *
 * @param kind how it goes on
 * @param peer the other side; null for the call of a proxy while it is not known yet who takes it
 * @param port the port of the side that is called; empty for as long as the peer is not known
 * @param method for the method of a remote interface, interface and name, {@code Ledger.balance}; else null
 */
public record CallDescription(
        CallKind kind,
        @Nullable Peer peer,
        String port,
        @Nullable String method) {

    public CallDescription {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(port, "port");
    }
}
