package io.weir.integration;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what another thread or process brings about. */
public final class Patience {

    /** Far longer than anything takes on a busy machine: reached only when something hangs. */
    public static final Duration LIMIT = Duration.ofSeconds(60);

    private static final long LOOK_AGAIN_NANOS = 500_000;

    private Patience() {}

    /** Returns when the condition holds. */
    public static void until(Supplier<String> what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + LIMIT.toSeconds() + " s: " + what.get());
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    /** As above, with a fixed description. */
    public static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    /** Returns when the latch is open. */
    public static void await(String what, CountDownLatch latch) {
        try {
            if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("not within " + LIMIT.toSeconds() + " s: " + what);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting for: " + what, e);
        }
    }
}
