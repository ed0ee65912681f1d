package io.weir.channel;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before something is tried again: twice as long each time, up to a bound, and each time a quarter more or less, at
 * random, so that many who have lost the same peer do not come back at once. Not thread-safe.
 */
final class Backoff {

    static final Duration FIRST = Duration.ofMillis(100);

    static final Duration LONGEST = Duration.ofSeconds(10);

    private static final double JITTER = 0.25;

    private final DoubleSupplier random;
    private Duration next = FIRST;

    /** @param random from 0 to 1 */
    Backoff(DoubleSupplier random) {
        this.random = random;
    }

    /** The next pause. */
    Duration next() {
        Duration pause = next;
        Duration twice = pause.multipliedBy(2);
        next = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
        return jittered(pause);
    }

    /** The longest pause, whatever came before. */
    Duration longest() {
        next = LONGEST;
        return next();
    }

    /** Begins anew. */
    void reset() {
        next = FIRST;
    }

    private Duration jittered(Duration pause) {
        double factor = 1 + JITTER * (2 * random.getAsDouble() - 1);
        return Duration.ofNanos((long) (pause.toNanos() * factor));
    }
}
