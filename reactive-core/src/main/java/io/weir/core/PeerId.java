package io.weir.core;

import java.util.Objects;
import java.util.UUID;

/**
 * Who a node is.
 *
 * @param id unique among nodes, new for each start; made of a key of the node, so no other node has it
 * @param name for people; need not be unique
 * @param incarnation grows with each start of the same id, so that a restarted peer is never taken for the one before
 */
public record PeerId(UUID id, String name, long incarnation) {

    /** Bytes of the UTF-8 form of a name at most. */
    public static final int MAX_NAME = 255;

    public PeerId {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(name, "name");
    }

    /** Name and the first eight digits of the id, as it stands in logs. */
    @Override
    public String toString() {
        return name + '-' + id.toString().substring(0, 8);
    }
}
