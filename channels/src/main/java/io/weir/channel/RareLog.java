package io.weir.channel;

import java.util.function.LongSupplier;
import org.slf4j.Logger;

/** A log of what strangers can bring about at will: warnings, of which only some are written. Any thread may call. */
final class RareLog {

    /** At once, and then one more in each interval. */
    private static final int BURST = 10;

    private static final long INTERVAL = 10_000_000_000L;

    private final Logger log;
    private final LongSupplier nanos;
    private int left = BURST;
    private long since;
    private long unwritten;

    RareLog(Logger log, LongSupplier nanos) {
        this.log = log;
        this.nanos = nanos;
        this.since = nanos.getAsLong();
    }

    void warn(String text) {
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
            log.warn("{} ({} warnings like this were not written)", text, missed);
        } else {
            log.warn("{}", text);
        }
    }
}
