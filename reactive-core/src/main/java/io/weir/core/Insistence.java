package io.weir.core;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Has things done for which there may be no memory just now: what ends a loop or a node when an
 * {@link OutOfMemoryError} has killed one of its threads. Others give memory back sooner or later, not least because of
 * what is being ended.
 */
public final class Insistence {

    private static final int ATTEMPTS = 100;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * What a step needs at least: classes may have to be loaded, and call sites linked, which is not tried twice where
     * it has failed.
     */
    private static final int NEEDED = 64 << 10;

    @SuppressWarnings("UnusedVariable") // So that it is really allocated.
    private static volatile byte[] probe = {};

    private static final byte[] NOTHING = {};

    private Insistence() {}

    /**
     * Goes once through what {@link #run} does, so that all classes are loaded while there is memory. For who will need
     * it when there is none.
     */
    public static void prepare() {
        run(new Rehearsal(), 1);
    }

    /**
     * Runs this as soon as there is some memory, until it does not fail for want of it, for 10 s at most; then once
     * more, whatever there is. Never throws. Blocks.
     *
     * @param step may be run several times; made before, as there may be no memory for it now
     */
    public static void run(Runnable step) {
        run(step, PAUSE_NANOS);
    }

    private static void run(Runnable step, long pauseNanos) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                if (attempt < ATTEMPTS - 1) {
                    probe = new byte[NEEDED];
                    probe = NOTHING;
                }
                step.run();
                return;
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(pauseNanos);
            } catch (Throwable t) {
                // It has failed for a reason of its own, which does not go away.
                return;
            }
        }
    }

    /** Fails once, as if there were no memory. */
    private static final class Rehearsal implements Runnable {

        private boolean failed;

        @Override
        public void run() {
            if (!failed) {
                failed = true;
                throw new OutOfMemoryError("only a rehearsal");
            }
        }
    }
}
