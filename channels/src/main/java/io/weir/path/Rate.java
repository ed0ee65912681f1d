package io.weir.path;

import java.time.Duration;
import java.util.function.LongSupplier;

/** How often something may be done: so often at once, and once more for each interval. Loop thread only. */
final class Rate {

    private final int most;
    private final long interval;
    private final LongSupplier nanos;
    private int left;
    private long since;

    /**
     * Begins with all of it.
     *
     * @param nanos a clock such as {@link System#nanoTime}
     */
    Rate(int most, Duration interval, LongSupplier nanos) {
        this.most = most;
        this.interval = interval.toNanos();
        this.nanos = nanos;
        this.left = most;
        this.since = nanos.getAsLong();
    }

    /** Takes one, if any is left. Returns whether it has. */
    boolean take() {
        long gained = (nanos.getAsLong() - since) / interval;
        since += gained * interval;
        left = (int) Math.min(most, left + gained);
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }
}
