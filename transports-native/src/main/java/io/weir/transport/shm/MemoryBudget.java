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

        private final long most;
        private final AtomicLong bytes;

        private Share(long bytes, long most) {
            this.bytes = new AtomicLong(bytes);
            this.most = most;
        }

        /**
         * Takes this much more. An eighth of what there is stays for others to begin with.
         *
         * @throws PeerUnavailable as {@link MemoryBudget#take}
         */
        void more(long more) {
            add(more, most - most / 8);
            long unused = bytes.addAndGet(more);
        }

        /** Gives back so much of it. */
        void less(long less) {
            long unused = bytes.addAndGet(-less);
            long unusedLeft = taken.addAndGet(-less);
        }

        void give() {
            less(bytes.get());
        }
    }

    /**
     * Takes this much.
     *
     * @param most that may be taken together
     * @throws PeerUnavailable if it would be more, naming the setting
     */
    Share take(long bytes, long most) {
        add(bytes, most);
        return new Share(bytes, most);
    }

    private void add(long bytes, long most) {
        long before = taken.getAndUpdate(now -> now + bytes > most ? now : now + bytes);
        if (before + bytes > most) {
            throw new PeerUnavailable("no shared memory of " + bytes + " bytes: " + before
                    + " bytes are in use by other links, and weir.transport.shm.memory is " + most
                    + "; raise it, or set weir.transport.shm.pool-size lower");
        }
    }
}
