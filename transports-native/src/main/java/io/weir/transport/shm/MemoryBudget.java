package io.weir.transport.shm;

import io.weir.core.PeerUnavailable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much shared memory the links of one node have made, in bytes: what they map of their peers is the peers'.
 * Thread-safe.
 */
final class MemoryBudget {

    private final AtomicLong taken = new AtomicLong();

    /** What one link has taken, given back once. */
    final class Share {

        private final long bytes;

        private Share(long bytes) {
            this.bytes = bytes;
        }

        void give() {
            long unused = taken.addAndGet(-bytes);
        }
    }

    /**
     * Takes this much.
     *
     * @param most that may be taken together
     * @throws PeerUnavailable if it would be more, naming the setting
     */
    Share take(long bytes, long most) {
        long before = taken.getAndUpdate(now -> now + bytes > most ? now : now + bytes);
        if (before + bytes > most) {
            throw new PeerUnavailable("no shared memory of " + bytes + " bytes: " + before
                    + " bytes are in use by other links, and weir.transport.shm.memory is " + most
                    + "; raise it, or set weir.transport.shm.pool-size lower");
        }
        return new Share(bytes);
    }
}
