package io.weir.channel;

import io.weir.config.NodeSpec;
import io.weir.core.PeerId;
import io.weir.core.SessionLost;
import io.weir.memory.MemoryAccount;
import io.weir.path.LastingLink;
import io.weir.peer.PathDecision;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

/** Two sessions over a link in memory, driven by the test's thread. */
final class SessionPair {

    final ManualLoop loop = new ManualLoop();
    final MemoryLink[] links;
    final Ports ports;
    final Session client;
    final Session server;
    final MemoryAccount memory;

    SessionPair(NodeSpec spec, int room) {
        this(spec, room, MemoryLink.MAX_FRAME);
    }

    SessionPair(NodeSpec spec, int room, int maxFrame) {
        links = MemoryLink.pair(loop, room, maxFrame);
        ports = new Ports(spec);
        memory = new MemoryAccount(
                DirectMemory.bound(spec.memory().max()), spec.memory().nodeBytes());
        client = session(spec, new Ports(spec), links[0], "server", true);
        server = session(spec, ports, links[1], "client", false);
    }

    private Session session(NodeSpec spec, Ports served, MemoryLink link, String peerName, boolean connecting) {
        PeerId id = new PeerId(UUID.randomUUID(), peerName, 1);
        Peer peer = new ConnectedPeer(id, new PathDecision(id, List.of(), Instant.EPOCH, "", ""), served);
        MemoryAccount.Share share = memory.share(peerName);
        LastingLink lasting = new LastingLink(loop, link, peer.id(), peer.identity(), spec.timeouts(), share);
        Session session = new Session(spec, served, share, loop, lasting, peer, connecting, ended -> {});
        peer.session(session);
        session.begin();
        return session;
    }

    /** Whatever has become of them: they hold nothing any more. */
    void end() {
        client.lost(new SessionLost("the test is over"));
        server.lost(new SessionLost("the test is over"));
        loop.settle();
    }

    Channel open(String port) {
        AtomicReference<Channel> opened = new AtomicReference<>();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        client.peer().channel(port).subscribe(opened::set, failed::set);
        loop.settle();
        if (failed.get() != null) {
            throw new AssertionError(failed.get());
        }
        return opened.get();
    }
}
