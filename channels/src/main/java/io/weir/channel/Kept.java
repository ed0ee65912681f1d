package io.weir.channel;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a sink keeps of what it was delivered, in bytes. Any thread drops some of it; the loop, to which everything else
 * belongs, is woken for that only when it is worth it.
 */
final class Kept {

    /** What was dropped, as far as the loop has not taken it over. */
    private final AtomicLong dropped = new AtomicLong();

    private final AtomicBoolean told = new AtomicBoolean();
    private volatile long worth = 1;
    private long bytes;

    void add(int delivered) {
        bytes += delivered;
    }

    /** Any thread. Returns whether the loop has to {@link #settle} now. */
    boolean drop(long some) {
        return dropped.addAndGet(some) >= worth && told.compareAndSet(false, true);
    }

    /**
     * From now on the loop wants to know when so many bytes were dropped. It has to look itself at those that were
     * dropped before.
     */
    void worth(long least) {
        worth = Math.max(1, least);
    }

    /** Returns what was dropped since the last time. */
    long settle() {
        told.set(false);
        long some = dropped.getAndSet(0);
        bytes -= some;
        return some;
    }

    boolean isEmpty() {
        return bytes == 0;
    }
}
