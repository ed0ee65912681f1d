package io.weir.service.directory;

import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A node of the cluster, as it describes itself. Immutable.
 *
 * @param id who it is
 * @param host the name of its host
 * @param addresses where it listens
 * @param attributes more about it, for instance the networks that it is on
 * @param since when it joined, by its own clock
 */
public record Member(
        PeerId id, String host, List<PeerAddress> addresses, Map<String, String> attributes, Instant since) {

    /** Copies the list and the map. */
    public Member {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(host, "host");
        addresses = List.copyOf(addresses);
        attributes = Map.copyOf(attributes);
        Objects.requireNonNull(since, "since");
    }
}
