package io.weir.transport.loop;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Whose a loop is: its thread's, unless that sleeps for events and somebody else has borrowed the loop meanwhile. */
final class Owner {

    private final ReentrantLock lock = new ReentrantLock();
    /**
     * The loop's thread sleeps, or waits for who has borrowed the loop. Written by that thread, while it is the owner.
     */
    private volatile boolean lent;
    /**
     * Who holds the lock; faster to ask than the lock itself. Written under the lock only, and null when it is free: a
     * thread that reads itself here has written it, so a race can't make another thread the owner.
     */
    private @Nullable Thread holder;

    /** The loop's thread begins, or goes on. */
    void begin() {
        lock.lock();
        holder = Thread.currentThread();
    }

    /** The loop's thread is about to sleep. */
    void lend() {
        lent = true;
        free();
    }

    /**
     * The loop's thread goes on, if it does not do so already: as soon as whoever has borrowed the loop gives it back.
     */
    void takeBack() {
        if (!isCurrent()) {
            begin();
            lent = false;
        }
    }

    boolean isCurrent() {
        return holder == Thread.currentThread();
    }

    boolean isLent() {
        return lent;
    }

    /** Only the loop's thread ever waits for the lock, and it goes first. */
    boolean tryBorrow() {
        if (!lent || isCurrent() || lock.hasQueuedThreads() || !lock.tryLock()) {
            return false;
        }
        holder = Thread.currentThread();
        return true;
    }

    /** Whether the loop's thread waits for what was borrowed. */
    boolean isWanted() {
        return lock.hasQueuedThreads();
    }

    void giveBack() {
        free();
    }

    private void free() {
        holder = null;
        lock.unlock();
    }
}
