package io.weir.channel;

import java.util.function.LongSupplier;

/**
 * For how long senders have waited for credit, those that still wait included. Any thread; written only when a wait
 * begins or ends, so that a lock costs nothing that counts.
 */
final class StallClock {

    private final LongSupplier clock;
    private int waiting;
    /** The ends minus the beginnings. */
    private long sum;

    /** The highest that was read. */
    private long shown;

    StallClock() {
        this(System::nanoTime);
    }

    StallClock(LongSupplier clock) {
        this.clock = clock;
    }

    synchronized void begin() {
        waiting++;
        sum -= clock.getAsLong();
    }

    synchronized void end() {
        waiting--;
        sum += clock.getAsLong();
    }

    /** Each wait counts by itself: two senders that wait one second make two. Never falls. */
    synchronized long nanos() {
        long now = waiting == 0 ? 0 : clock.getAsLong();
        shown = Math.max(shown, sum + waiting * now);
        return shown;
    }
}
