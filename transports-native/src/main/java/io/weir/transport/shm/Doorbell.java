package io.weir.transport.shm;

import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.UnixSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What wakes the peer's sleeping loop, and ours: each byte that comes over the socket between both. Each side has an
 * end of its own, and no call here waits, so whatever the peer does with its end keeps nobody up. Thread-safe.
 */
final class Doorbell implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Doorbell.class);

    private final UnixSocket socket;
    private boolean closed;

    /** Takes over our end. */
    Doorbell(UnixSocket socket) {
        this.socket = socket;
    }

    /** Wakes the other side; does nothing once this is closed, as the number may name something else then. */
    synchronized void ring() {
        if (!closed) {
            try {
                // Nobody is there any more: whoever watches for the end of the socket finds out.
                boolean unused = socket.ring();
            } catch (NativeFailure e) {
                log.warn("the peer's loop can't be woken", e);
            }
        }
    }

    /**
     * Makes our end silent until it is rung again. Returns false if it can't, as the peer passes descriptors over it.
     */
    synchronized boolean silence() {
        return closed || socket.read(Integer.MAX_VALUE) != UnixSocket.DESCRIPTORS;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            socket.close();
        }
    }
}
