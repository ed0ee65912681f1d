package io.weir.channel;

import io.weir.peer.Identity;

/** Says which peers may use which ports. See {@link Node#authorise}. */
@FunctionalInterface
public interface Authorisation {

    /**
     * Whether this peer may open channels to this port, send requests or messages there. Called on the peer's loop,
     * once for each channel that it opens and once for all of its requests and messages to the port; must not block. An
     * exception counts as no.
     *
     * @param peer who wants in; {@link Identity#name()} and {@link Identity#host()} are what it says of itself
     * @param port where, whether or not it is served; a name that the peer has chosen
     */
    boolean permits(Identity peer, String port);
}
