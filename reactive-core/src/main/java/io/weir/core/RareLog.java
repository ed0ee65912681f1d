package io.weir.core;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A log of what strangers can bring about as often as they like: lines, of which only some are written. The next one
 * that is written says how many were not. Any thread may call.
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
        // Its class is loaded now, see below.
        var unused = ForeignText.harmless("");
    }

    /** Writes this, made harmless, as others may have chosen words of it, unless there were too many lately. */
    public void warn(String words) {
        String line = line(words);
        if (line != null) {
            log.warn("{}", line);
        }
    }

    /** As {@link #warn}, of what is no trouble. */
    public void info(String words) {
        String line = line(words);
        if (line != null) {
            log.info("{}", line);
        }
    }

    /**
     * As {@link #warn}, at the level DEBUG. If that is not logged, the words are not asked for, and nothing counts as
     * not written.
     */
    public void debug(Supplier<String> words) {
        String line = log.isDebugEnabled() ? line(words.get()) : null;
        if (line != null) {
            log.debug("{}", line);
        }
    }

    /**
     * What is to be written; null: nothing. Needs no class that would be loaded only now: a process that complains of
     * having no descriptors left has none for a class file either.
     */
    private @Nullable String line(String words) {
        long missed;
        synchronized (this) {
            long now = nanos.getAsLong();
            long gained = (now - since) / interval;
            since += gained * interval;
            left = (int) Math.min(burst, left + gained);
            if (left == 0) {
                unwritten++;
                return null;
            }
            left--;
            missed = unwritten;
            unwritten = 0;
        }
        String text = ForeignText.harmless(words);
        return missed > 0 ? text + " (not written before this: " + missed + ")" : text;
    }
}
