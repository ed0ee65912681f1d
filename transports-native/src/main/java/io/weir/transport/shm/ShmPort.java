package io.weir.transport.shm;

import io.netty.channel.Channel;
import io.weir.transport.loop.NettyLoop;
import reactor.core.Disposable;

/** What a link has taken from the system, given back once. Belongs to the loop's thread. */
final class ShmPort implements AutoCloseable {

    private final ShmHalf ours;
    private final ShmHalf theirs;
    private final Channel lifeline;
    private final Doorbell doorbell;
    private final Disposable watch;
    private boolean closed;

    /**
     * Takes over everything.
     *
     * @param lifeline the socket whose end tells the peer's
     * @param doorbell at the same socket
     */
    ShmPort(NettyLoop loop, ShmHalf ours, ShmHalf theirs, Channel lifeline, Doorbell doorbell) {
        this.ours = ours;
        this.theirs = theirs;
        this.lifeline = lifeline;
        this.doorbell = doorbell;
        this.watch = loop.watch(doorbell.socket().number(), doorbell::silence);
    }

    /** What we send through. */
    Segment outgoing() {
        return ours.segment();
    }

    /** What the peer sends through. */
    Segment incoming() {
        return theirs.segment();
    }

    /** What wakes the peer. */
    Doorbell doorbell() {
        return doorbell;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            watch.dispose();
            doorbell.close();
            var unused = lifeline.close();
            theirs.close();
            ours.close();
        }
    }
}
