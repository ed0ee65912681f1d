package io.weir.channel;

import io.weir.config.NodeSpec;
import io.weir.core.PeerId;
import io.weir.peer.PathDecision;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A peer without a session, for those who want to know only who it is. */
public final class SomePeer {

    private SomePeer() {}

    /** Its name is as odd as one can be that has come over the wire. */
    public static Peer make() {
        PeerId id = new PeerId(new UUID(1, 2), "some ? peer", 1);
        return new ConnectedPeer(
                id,
                new PathDecision(id, List.of(), Instant.EPOCH, "", ""),
                new Ports(NodeSpec.builder().build()));
    }
}
