package io.weir.core;

import java.time.Duration;

/**
 * How a loop waits when it has nothing to do: it first looks again and again for a while, then sleeps until something
 * happens.
 */
public enum Waiting {
    /** Never sleeps: the shortest latency, one processor per loop. */
    LATENCY(Duration.ofNanos(Long.MAX_VALUE)),
    /**
     * Looks for 5 us, then sleeps; sleeps at once when looking has been in vain lately. A wake-up costs about 5 us on the same
     * processor and 30 us on another one, so looking much longer than that burns more than it saves, and starves a peer on the
     * same processor.
     */
    BALANCED(Duration.ofNanos(5_000)),
    /** Sleeps at once. */
    FRUGAL(Duration.ZERO);

    private final Duration spin;

    Waiting(Duration spin) {
        this.spin = spin;
    }

    /** How long an idle loop looks for work before it sleeps. */
    public Duration spin() {
        return spin;
    }
}
