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
     * Who has the lock, which is asked for with each message. A thread that reads its own name here has written it
     * itself, so that nothing orders this.
     */
    private @Nullable Thread holder;

    /** The loop's thread begins. */
    void begin() {
        lock.lock();
        holder = Thread.currentThread();
    }

    /** The loop's thread is about to sleep. */
    void lend() {
        lent = true;
        holder = null;
        lock.unlock();
    }

    /**
     * The loop's thread goes on, if it does not do so already: as soon as whoever has borrowed the loop gives it back.
     */
    void takeBack() {
        if (!isCurrent()) {
            lock.lock();
            holder = Thread.currentThread();
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
        if (lent && !isCurrent() && !lock.hasQueuedThreads() && lock.tryLock()) {
            holder = Thread.currentThread();
            return true;
        }
        return false;
    }

    /** Whether the loop's thread waits for what was borrowed. */
    boolean isWanted() {
        return lock.hasQueuedThreads();
    }

    void giveBack() {
        holder = null;
        lock.unlock();
    }
}
