package io.weir.channel;

import io.weir.config.NodeSpec;
import io.weir.core.PeerId;
import io.weir.peer.PathDecision;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A peer without a session, for tests of other packages that want to know only who it is. */
public final class UnconnectedPeer {

    private UnconnectedPeer() {}

    public static Peer named(String name) {
        PeerId id = new PeerId(UUID.randomUUID(), name, 1);
        return new ConnectedPeer(
                id,
                new PathDecision(id, List.of(), Instant.EPOCH, "", ""),
                new Ports(NodeSpec.builder().build()));
    }
}
