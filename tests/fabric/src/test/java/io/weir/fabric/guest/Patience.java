package io.weir.fabric.guest;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for what a program or the kernel brings about. */
final class Patience {

    /** Far longer than anything takes, on an emulated processor: reached only when something hangs. */
    static final Duration LIMIT = Duration.ofSeconds(Long.getLong("weir.test.patience", 90));

    /** Of a node: shorter, so that its own reason is what a test shows. */
    static final Duration OF_NODE = LIMIT.multipliedBy(4).dividedBy(5);

    private static final long LOOK_AGAIN_NANOS = 5_000_000;

    private Patience() {}

    /** Something that can be looked for. */
    interface Sight {
        boolean seen() throws IOException, InterruptedException;
    }

    /** Returns when it is seen; the text tells of what was not. */
    static void until(Supplier<String> what, Sight sight) throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!sight.seen()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + LIMIT.toSeconds() + " s: " + what.get());
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }
}
