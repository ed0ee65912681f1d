package io.weir.channel;

import io.weir.core.PeerAddress;
import java.util.Objects;

/**
 * A peer that the configuration names.
 *
 * @param address where it listens
 * @param paths what differs for it from the node's own {@link NodeSpec#paths()}
 */
public record PeerSpec(PeerAddress address, PathPolicy paths) {

    public PeerSpec {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(paths, "paths");
    }
}
