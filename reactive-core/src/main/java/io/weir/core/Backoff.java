package io.weir.core;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before something is tried again: twice as long each time, up to a bound, and each time a quarter
 * more or less, at random, so that many who have lost the same peer do not come back at once. Not thread-safe.
 */
public final class Backoff {

    private static final double JITTER = 0.25;

    private final Duration first;
    private final Duration longest;
    private final DoubleSupplier random;
    private Duration next;

    /**
     * Begins with the first one.
     *
     * @param random from 0 to 1
     */
    public Backoff(Duration first, Duration longest, DoubleSupplier random) {
        this.first = first;
        this.longest = longest;
        this.random = random;
        this.next = first;
    }

    /** The next pause. */
    public Duration next() {
        Duration pause = next;
        Duration twice = pause.multipliedBy(2);
        next = twice.compareTo(longest) < 0 ? twice : longest;
        return jittered(pause);
    }

    /** The longest pause, whatever came before. */
    public Duration longest() {
        next = longest;
        return next();
    }

    /** Begins anew. */
    public void reset() {
        next = first;
    }

    private Duration jittered(Duration pause) {
        double factor = 1 + JITTER * (2 * random.getAsDouble() - 1);
        return Duration.ofNanos((long) (pause.toNanos() * factor));
    }
}
