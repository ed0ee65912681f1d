package io.weir.core;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Has things done for which there may be no memory just now: what ends a loop or a node when an {@link OutOfMemoryError} has killed one
 * of its threads. Others give memory back sooner or later, not least because of what is being ended.
 */
public final class Insistence {

    private static final int ATTEMPTS = 100;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private Insistence() {}

    /**
     * Runs this until it does not fail for want of memory, for 10 s at most; never throws. Blocks, and allocates nothing itself.
     *
     * @param step may be run several times
     */
    public static void run(Runnable step) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                step.run();
                return;
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (Throwable t) {
                // It has failed for a reason of its own, which does not go away.
                return;
            }
        }
    }
}
