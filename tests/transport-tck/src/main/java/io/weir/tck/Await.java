package io.weir.tck;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Waits for something that another thread brings about. */
final class Await {

    /** Far longer than anything takes on a busy machine: reached only when something hangs. */
    private static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("weir.test.patience", 30));

    private static volatile Duration patience = PATIENCE;

    private static final long LOOK_AGAIN_NANOS = 200_000;

    private Await() {}

    /** How long the tests wait for anything. */
    static Duration patience() {
        return patience;
    }

    /** For tests of the tests, which provoke a hang: waits only so long until {@link #patient()}. */
    static void impatient(Duration most) {
        patience = most;
    }

    /** Waits as long as usual again. */
    static void patient() {
        patience = PATIENCE;
    }

    /** Returns when the condition holds; fails when it doesn't within {@link #patience()}. */
    static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    /** As above, with a description made when it has failed. */
    static void until(Supplier<String> what, BooleanSupplier condition) {
        if (!within(patience, condition)) {
            throw new AssertionError("not within " + patience.toSeconds() + " s: " + what.get());
        }
    }

    /** Whether the condition came to hold within this time. */
    static boolean within(Duration time, BooleanSupplier condition) {
        long end = System.nanoTime() + time.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            if (Thread.interrupted()) {
                throw new AssertionError("interrupted, probably by the time-out of the test");
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        return true;
    }

    /** What this ends with. */
    static <T> T value(Mono<T> result) {
        return Objects.requireNonNull(result.block(patience), "ended without a value");
    }

    /** Waits for the end of this. */
    static void end(Mono<Void> result) {
        var unused = result.block(patience);
    }
}
