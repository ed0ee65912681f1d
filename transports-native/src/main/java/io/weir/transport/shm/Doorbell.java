package io.weir.transport.shm;

import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What wakes a sleeping loop: an event descriptor that both sides have. Thread-safe. */
final class Doorbell implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Doorbell.class);

    private final Descriptor event;
    private boolean closed;

    private Doorbell(Descriptor event) {
        this.event = event;
    }

    /** Our own, by which the peer wakes us. */
    static Doorbell make() {
        try {
            return new Doorbell(Posix.event());
        } catch (NativeFailure e) {
            throw new PeerUnavailable("no event descriptor to be woken by: " + e.getMessage(), e);
        }
    }

    /** The peer's. Closes the descriptor if it is no doorbell: writing to anything else might block. */
    static Doorbell of(Descriptor event) {
        if (!Posix.isEvent(event)) {
            event.close();
            throw new ProtocolMismatch("the peer passed something else than an event descriptor to wake it by");
        }
        return new Doorbell(event);
    }

    Descriptor event() {
        return event;
    }

    /** Wakes the other side; does nothing once this is closed, as the number may name something else then. */
    synchronized void ring() {
        if (!closed) {
            try {
                Posix.signal(event);
            } catch (NativeFailure e) {
                log.warn("the peer's loop can't be woken", e);
            }
        }
    }

    /** Makes it silent until it is rung again. */
    synchronized void silence() {
        if (!closed) {
            try {
                Posix.clear(event);
            } catch (NativeFailure e) {
                log.warn("our doorbell can't be silenced", e);
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        event.close();
    }
}
