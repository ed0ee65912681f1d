package io.weir.channel;

import java.util.Objects;

/**
 * A port that the configuration names.
 *
 * @param paths what differs for its channels from the node's own {@link NodeSpec#paths()}
 */
public record PortSpec(PathPolicy paths) {

    public PortSpec {
        Objects.requireNonNull(paths, "paths");
    }
}
