package io.weir.core;

import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * A log of what strangers can bring about as often as they like: lines, of which only some are written. The next one that is written
 * tells how many were not. Any thread may call.
 */
public final class RareLog {

    /** At once, and then one more in each interval: enough to see a cluster that is wrongly configured as a whole. */
    private static final int BURST = 10;

    private static final Duration INTERVAL = Duration.ofSeconds(6);

    private final Logger log;
    private final LongSupplier nanos;
    private final int burst;
    private final long interval;
    private int left;
    private long since;
    private long unwritten;

    /** @param nanos a clock such as {@link System#nanoTime} */
    public RareLog(Logger log, LongSupplier nanos) {
        this(log, nanos, BURST, INTERVAL);
    }

    /**
     * Another rate.
     *
     * @param nanos a clock such as {@link System#nanoTime}
     * @param burst lines that are written at once
     * @param interval in which one more may be written
     */
    public RareLog(Logger log, LongSupplier nanos, int burst, Duration interval) {
        this.log = log;
        this.nanos = nanos;
        this.burst = burst;
        this.interval = interval.toNanos();
        this.left = burst;
        this.since = nanos.getAsLong();
    }

    /** Writes this, made harmless, as others may have chosen words of it, unless there were too many lately. */
    public void warn(String words) {
        write(log::warn, log::warn, words);
    }

    /** As {@link #warn}, of what is no trouble. */
    public void info(String words) {
        write(log::info, log::info, words);
    }

    private void write(BiConsumer<String, Object> plain, Counted counted, String words) {
        String text = ForeignText.harmless(words);
        long missed;
        synchronized (this) {
            long now = nanos.getAsLong();
            long gained = (now - since) / interval;
            since += gained * interval;
            left = (int) Math.min(burst, left + gained);
            if (left == 0) {
                unwritten++;
                return;
            }
            left--;
            missed = unwritten;
            unwritten = 0;
        }
        if (missed > 0) {
            counted.write("{} (not written before this: {})", text, missed);
        } else {
            plain.accept("{}", text);
        }
    }

    /** A line with two parameters. */
    @FunctionalInterface
    private interface Counted {

        void write(String format, Object text, Object missed);
    }
}
