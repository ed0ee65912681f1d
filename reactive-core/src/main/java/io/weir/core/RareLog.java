package io.weir.core;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * A log of what strangers can bring about as often as they like: warnings, of which only some are written. The next one that is written
 * tells how many were not. Any thread may call.
 */
public final class RareLog {

    /** At once, and then one more in each interval: enough to see a cluster that is wrongly configured as a whole. */
    private static final int BURST = 10;

    private static final long INTERVAL = Duration.ofSeconds(6).toNanos();

    private final Logger log;
    private final LongSupplier nanos;
    private int left = BURST;
    private long since;
    private long unwritten;

    /** @param nanos a clock such as {@link System#nanoTime} */
    public RareLog(Logger log, LongSupplier nanos) {
        this.log = log;
        this.nanos = nanos;
        this.since = nanos.getAsLong();
    }

    /** Writes this, made harmless, as others may have chosen words of it, unless there were too many lately. */
    public void warn(String words) {
        String text = ForeignText.harmless(words);
        long missed;
        synchronized (this) {
            long now = nanos.getAsLong();
            long gained = (now - since) / INTERVAL;
            since += gained * INTERVAL;
            left = (int) Math.min(BURST, left + gained);
            if (left == 0) {
                unwritten++;
                return;
            }
            left--;
            missed = unwritten;
            unwritten = 0;
        }
        if (missed > 0) {
            log.warn("{} (not written before this: {})", text, missed);
        } else {
            log.warn("{}", text);
        }
    }
}
