package io.weir.service;

import io.weir.channel.Peer;
import java.util.concurrent.atomic.AtomicInteger;

/** An instance that is connected and lets us in, to be called for as long as its connection lives. Any thread. */
final class Callee {

    private final Peer peer;
    private final String port;
    private final AtomicInteger outstanding = new AtomicInteger();
    private volatile boolean gone;

    /** @param port the port of the peer that serves what is called */
    Callee(Peer peer, String port) {
        this.peer = peer;
        this.port = port;
    }

    Peer peer() {
        return peer;
    }

    String port() {
        return port;
    }

    /** A call begins; {@link #ended} once for each. */
    void begun() {
        outstanding.incrementAndGet();
    }

    /** A call has ended, in whatever way. */
    void ended() {
        outstanding.decrementAndGet();
    }

    /** Calls that have begun and not ended. */
    int outstanding() {
        return outstanding.get();
    }

    /** Its connection is over: it must not be called any more. */
    void leave() {
        gone = true;
    }

    boolean hasLeft() {
        return gone;
    }

    @Override
    public String toString() {
        return "port '" + port + "' of " + peer.id();
    }
}
