package io.weir.path;

import java.util.function.LongSupplier;

/**
 * How often the peer of a session may propose a path: each proposal has an adapter prepare for it. Who looks for a path
 * because all are lost proposes every one of them each 100 ms, which is within this. Loop thread only.
 */
final class ProposalRate {

    /** At once, and in each second from then on. */
    static final int MOST = 100;

    private static final long INTERVAL = 1_000_000_000L / MOST;

    private final LongSupplier nanos;
    private int left = MOST;
    private long since;

    /** @param nanos a clock such as {@link System#nanoTime} */
    ProposalRate(LongSupplier nanos) {
        this.nanos = nanos;
        this.since = nanos.getAsLong();
    }

    /** Whether one more may be tried. */
    boolean take() {
        long gained = (nanos.getAsLong() - since) / INTERVAL;
        since += gained * INTERVAL;
        left = (int) Math.min(MOST, left + gained);
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }
}
