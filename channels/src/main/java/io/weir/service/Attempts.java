package io.weir.service;

import java.time.Duration;
import java.util.function.LongSupplier;

/** How often somebody may fail: a few times at once, and then once in a while. Not thread-safe. */
final class Attempts {

    /** Who mistypes needs no more. */
    static final int BURST = 5;

    static final Duration INTERVAL = Duration.ofSeconds(12);

    private final LongSupplier nanos;
    private int left = BURST;
    private long since;

    /** @param nanos a clock such as {@link System#nanoTime} */
    Attempts(LongSupplier nanos) {
        this.nanos = nanos;
        this.since = nanos.getAsLong();
    }

    boolean left() {
        long gained = (nanos.getAsLong() - since) / INTERVAL.toNanos();
        since += gained * INTERVAL.toNanos();
        left = (int) Math.min(BURST, left + gained);
        return left > 0;
    }

    void failed() {
        left--;
    }
}
