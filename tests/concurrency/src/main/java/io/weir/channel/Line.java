package io.weir.channel;

import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.PeerId;
import io.weir.memory.MemoryAccount;
import io.weir.path.LastingLink;
import io.weir.peer.PathDecision;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A session with one open channel on a loop that actors drive. The other side is played by frames. */
final class Line {

    private static final NodeSpec SPEC = NodeSpec.builder().build();
    private static final Ports PORTS = new Ports(SPEC);
    private static final PeerId PEER = new PeerId(UUID.randomUUID(), "peer", 1);
    private static final PathDecision PATH = new PathDecision(PEER, List.of(), Instant.EPOCH, "", "");

    final ActorLoop loop = new ActorLoop();
    final Wire wire = new Wire();
    private final Session session;
    private @Nullable Channel opened;

    Line() {
        Peer peer = new ConnectedPeer(PEER, PATH, PORTS);
        MemoryAccount.Share memory = new MemoryAccount(1 << 30, 1 << 30).share(PEER);
        LastingLink link = new LastingLink(loop, wire, PEER, peer.identity(), SPEC.timeouts(), memory);
        session = new Session(SPEC, PORTS, memory, loop, link, peer, true, ended -> {});
        peer.session(session);
        loop.drive(() -> {
            session.open("race", 0, new AlwaysOpen(), channel -> opened = channel);
        });
        // The peer accepts, with credit for all that any race sends.
        loop.drive(() -> session.frame(frame(FrameKind.ACCEPT).words(100, 1 << 20)));
    }

    Channel channel() {
        return Objects.requireNonNull(opened);
    }

    /** What the peer has sent comes in. On the loop only. */
    void comes(Frame frame) {
        session.frame(frame);
    }

    /** A frame of the peer for our channel. */
    Frame frame(FrameKind kind) {
        return new Frame()
                .set(kind, 0, channel().number(), 0)
                .control(new byte[0])
                .body(Unpooled.EMPTY_BUFFER);
    }

    private static final class AlwaysOpen implements Channel.Opening {

        @Override
        public void accepted() {
            // As it should be.
        }

        @Override
        public void refused(Throwable reason) {
            throw new IllegalStateException("nobody refuses here", reason);
        }
    }
}
