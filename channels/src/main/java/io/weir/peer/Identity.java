package io.weir.peer;

import io.weir.config.PortSpec;
import org.jspecify.annotations.Nullable;

/**
 * Who a peer is, and how far that is more than its word. Immutable.
 *
 * <p>Names, users and hosts that a peer states about itself are claims. Where a shared secret was proved, they are the
 * claims of somebody who knows the secret, and no more: everybody who knows it may use any name. Only a principal is
 * proved by itself.
 *
 * @param knowsSecret whether it has proved to know the shared secret ({@code weir.security.secret})
 * @param principal the name in the certificate that it has proved to own; null if it has shown none
 * @param name the node's name, as it says
 * @param host the name of its host, as it says
 */
public record Identity(boolean knowsSecret, @Nullable String principal, String name, String host) {

    /** Whether it has proved anything at all. */
    public boolean proved() {
        return knowsSecret || principal != null;
    }

    /** Whether what it has proved is its own, and not what everybody of a group can prove. */
    public boolean provedItself() {
        return principal != null;
    }

    public Identity at(String claimedHost) {
        return new Identity(knowsSecret, principal, name, claimedHost);
    }

    /** Whether the configuration lets it use this port. */
    public boolean mayUse(PortSpec port) {
        return port.permits(principal, knowsSecret ? name : null);
    }
}
