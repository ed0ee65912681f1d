package io.weir.spring.autoconfigure;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what must come about, as long as the slowest machine may need. */
final class Patience {

    static final Duration LIMIT = Duration.ofSeconds(60);

    private Patience() {}

    static void until(Supplier<String> what, BooleanSupplier holds) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("in vain for " + LIMIT.toSeconds() + " s: " + what.get());
            }
            LockSupport.parkNanos(5_000_000);
        }
    }
}
