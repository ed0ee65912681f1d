package io.weir.transport.tcp;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/** Warnings of what others can bring about as often as they like: so many in a while, then only their number. Any thread. */
final class SparseLog {

    /** Enough to see a cluster that is wrongly configured as a whole. */
    private static final int MOST = 10;

    private static final Duration WHILE = Duration.ofMinutes(1);

    private final Logger log;
    private final LongSupplier nanos;
    private long begun;
    private int said;
    private long unsaid;

    /** @param nanos a clock such as {@link System#nanoTime} */
    SparseLog(Logger log, LongSupplier nanos) {
        this.log = log;
        this.nanos = nanos;
        this.begun = nanos.getAsLong();
    }

    void warn(String sentence) {
        long dropped = admit();
        if (dropped > 0) {
            log.warn("{} (and {} more before that were not logged)", sentence, dropped);
        } else if (dropped == 0) {
            log.warn("{}", sentence);
        }
    }

    /** How many were dropped before; -1 if this one is dropped as well. */
    private synchronized long admit() {
        long now = nanos.getAsLong();
        if (now - begun >= WHILE.toNanos()) {
            begun = now;
            said = 0;
        }
        if (said == MOST) {
            unsaid++;
            return -1;
        }
        said++;
        long dropped = unsaid;
        unsaid = 0;
        return dropped;
    }
}
