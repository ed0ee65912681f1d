package io.weir.path;

import io.weir.core.Link;
import io.weir.core.PeerId;
import io.weir.peer.TunnelRoute;

/** A link to a node that is not reached directly: its frames go through gateways. */
public interface TunnelledLink extends Link {

    /** The name of its path. */
    String PATH = "gateway";

    /** How many tunnels lie in each other, this one included. */
    int depth();

    /** The peer that leads it on from here, or has led it here. */
    PeerId gateway();

    /** By which way it goes, as the gateways have described it. */
    TunnelRoute route();
}
