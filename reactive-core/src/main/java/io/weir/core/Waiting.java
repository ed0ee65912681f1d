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
     * Looks for 50 us, then sleeps; sleeps at once when looking has been in vain lately. Waking a processor that sleeps
     * takes 30 to 50 us: looking that long costs at most as much again as sleeping does, and a peer that is at work has
     * answered by then. After some microseconds it lets others run on its processor between two looks.
     */
    BALANCED(Duration.ofNanos(50_000)),
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
