package io.weir.service.socket;

import io.weir.channel.Turns;
import java.io.InterruptedIOException;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * One thread at a time that waits for what others bring about. It looks for a while before it sleeps: waking it takes
 * longer than an answer on the same host does. Where it can, it takes the loop's turns meanwhile. When looking has been
 * in vain lately, it sleeps at once.
 */
final class Sleeper {

    /** So many times in a row looking must have been in vain before it is left out. */
    private static final int PATIENCE = 3;

    /**
     * Then it is left out this often, as a power of two, until it is tried again: not for long, as a wait without it is
     * far slower.
     */
    private static final int LONGEST_BREAK = 3;

    private final long spinNanos;
    private volatile @Nullable Thread asleep;
    private volatile @Nullable Turns turns;

    // Of the thread that waits.
    private int inVain;
    private int skip;

    /** @param spinNanos how long it looks before it sleeps */
    Sleeper(long spinNanos) {
        this.spinNanos = spinNanos;
    }

    /**
     * Returns when the condition holds, true, or the time is over, false. An interrupt does not end this on a platform
     * thread, and stays pending; on a virtual thread it does, as with the JDK's own sockets.
     *
     * @param timeoutNanos 0 for any time
     * @throws IllegalStateException on a thread that must not block
     */
    boolean await(BooleanSupplier ready, long timeoutNanos) throws InterruptedIOException {
        if (ready.getAsBoolean()) {
            return true;
        }
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException(
                    "a socket would block " + Thread.currentThread().getName()
                            + ", which must not be blocked: use sockets on threads of your own");
        }
        long begun = System.nanoTime();
        return look(ready, begun, timeoutNanos) || sleep(ready, begun, timeoutNanos);
    }

    /** What is waited for comes with these; who looks takes them itself if it can. */
    void turns(Turns its) {
        turns = its;
    }

    @SuppressWarnings("ThreadPriorityCheck") // That others may run is the point, not a promise.
    private boolean look(BooleanSupplier ready, long begun, long timeoutNanos) {
        if (skip > 0) {
            skip--;
            return false;
        }
        long limit = timeoutNanos == 0 ? spinNanos : Math.min(spinNanos, timeoutNanos);
        // A virtual thread that lets others run may be long in coming back: it must not have the loop meanwhile.
        Turns own = VirtualThreads.isCurrent() ? null : turns;
        for (long passed = 0; passed < limit; ) {
            if (ready.getAsBoolean() || (own != null && own.lookFor(ready, limit - passed))) {
                inVain = 0;
                return true;
            }
            // One of the others may be who is waited for.
            Thread.yield();
            passed = System.nanoTime() - begun;
        }
        inVain = Math.min(inVain + 1, LONGEST_BREAK);
        if (inVain >= PATIENCE) {
            skip = 1 << inVain;
        }
        return false;
    }

    private boolean sleep(BooleanSupplier ready, long begun, long timeoutNanos) throws InterruptedIOException {
        boolean interrupted = false;
        asleep = Thread.currentThread();
        try {
            while (!ready.getAsBoolean()) {
                long left = timeoutNanos - (System.nanoTime() - begun);
                if (timeoutNanos == 0) {
                    LockSupport.park(this);
                } else if (left > 0) {
                    LockSupport.parkNanos(this, left);
                } else {
                    return false;
                }
                if (Thread.currentThread().isInterrupted()) {
                    if (VirtualThreads.isCurrent()) {
                        throw new InterruptedIOException("interrupted");
                    }
                    interrupted |= Thread.interrupted();
                }
            }
            return true;
        } finally {
            asleep = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The condition may hold now. Any thread, after what it has changed. */
    void wake() {
        // Who falls asleep says so, then looks; who wakes changes something, then looks who sleeps.
        VarHandle.fullFence();
        Thread sleeping = asleep;
        if (sleeping != null) {
            LockSupport.unpark(sleeping);
        }
    }
}
