package io.weir.transport.shm;

import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What wakes the peer's sleeping loop, and ours: each byte that comes over the socket between both. Each side has an end of its own, and no
 * call here waits, so whatever the peer does with its end keeps nobody up. Thread-safe.
 */
final class Doorbell implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Doorbell.class);

    private final Descriptor socket;
    private boolean closed;

    /** Takes over our end. */
    Doorbell(Descriptor socket) {
        this.socket = socket;
    }

    /** At our end of this socket, which stays the caller's and may be closed before this is. */
    static Doorbell at(int socket) {
        try {
            return new Doorbell(Posix.duplicate(socket));
        } catch (NativeFailure e) {
            throw new PeerUnavailable("no descriptor to be woken by: " + e.getMessage(), e);
        }
    }

    /** Readable when the peer has rung. */
    Descriptor socket() {
        return socket;
    }

    /** Wakes the other side; does nothing once this is closed, as the number may name something else then. */
    synchronized void ring() {
        if (!closed) {
            try {
                // Nobody is there any more: whoever watches for the end of the socket finds out.
                boolean unused = Posix.sendByte(socket);
            } catch (NativeFailure e) {
                log.warn("the peer's loop can't be woken", e);
            }
        }
    }

    /** Makes our end silent until it is rung again. */
    synchronized void silence() {
        if (!closed) {
            Posix.receiveBytes(socket);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        socket.close();
    }
}
