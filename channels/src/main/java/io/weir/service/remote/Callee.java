package io.weir.service.remote;

import io.weir.channel.Peer;
import java.util.concurrent.atomic.AtomicInteger;

/** An instance that is connected and lets us in, to be called for as long as its connection lives. Any thread. */
public final class Callee {

    private final Peer peer;
    private final String port;
    private final AtomicInteger outstanding = new AtomicInteger();
    private volatile boolean gone;

    /** @param port the port of the peer that serves what is called */
    public Callee(Peer peer, String port) {
        this.peer = peer;
        this.port = port;
    }

    public Peer peer() {
        return peer;
    }

    public String port() {
        return port;
    }

    /** A call begins; {@link #ended} once for each. */
    public void begun() {
        outstanding.incrementAndGet();
    }

    /** A call has ended, in whatever way. */
    public void ended() {
        outstanding.decrementAndGet();
    }

    /** Calls that have begun and not ended. */
    public int outstanding() {
        return outstanding.get();
    }

    /** Its connection is over: it must not be called any more. */
    public void leave() {
        gone = true;
    }

    public boolean hasLeft() {
        return gone;
    }

    @Override
    public String toString() {
        return "port '" + port + "' of " + peer.id();
    }
}
