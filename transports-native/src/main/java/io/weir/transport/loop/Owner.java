package io.weir.transport.loop;

import java.util.concurrent.locks.ReentrantLock;

/** Whose a loop is: its thread's, unless that sleeps for events and somebody else has borrowed the loop meanwhile. */
final class Owner {

    private final ReentrantLock lock = new ReentrantLock();
    /**
     * The loop's thread sleeps, or waits for who has borrowed the loop. Written by that thread, while it is the owner.
     */
    private volatile boolean lent;

    /** The loop's thread begins. */
    void begin() {
        lock.lock();
    }

    /** The loop's thread is about to sleep. */
    void lend() {
        lent = true;
        lock.unlock();
    }

    /**
     * The loop's thread goes on, if it does not do so already: as soon as whoever has borrowed the loop gives it back.
     */
    void takeBack() {
        if (!lock.isHeldByCurrentThread()) {
            lock.lock();
            lent = false;
        }
    }

    boolean isCurrent() {
        return lock.isHeldByCurrentThread();
    }

    boolean isLent() {
        return lent;
    }

    /** Only the loop's thread ever waits for the lock, and it goes first. */
    boolean tryBorrow() {
        return lent && !lock.isHeldByCurrentThread() && !lock.hasQueuedThreads() && lock.tryLock();
    }

    /** Whether the loop's thread waits for what was borrowed. */
    boolean isWanted() {
        return lock.hasQueuedThreads();
    }

    void giveBack() {
        lock.unlock();
    }
}
