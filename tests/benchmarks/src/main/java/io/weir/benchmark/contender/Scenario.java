package io.weir.benchmark.contender;

import java.util.Arrays;
import java.util.Locale;

/** What the two processes do with each other. */
public enum Scenario {
    /** One message there and back, the next one at once: the round trip. */
    RTT,
    /**
     * As {@link #RTT}, in memory that the path lends, where both sides write and read the number only: what a message
     * costs whose content nobody touches.
     */
    LOANED,
    /** One message there and back, then a pause in which everybody falls asleep. */
    SLEEP,
    /** The server sends as fast as the client takes; the client checks the sequence numbers. */
    ONE_WAY,
    /** As {@link #ONE_WAY}, and the client reads every byte and checks it. */
    CHECKED,
    /** {@link #OUTSTANDING} messages under way, each echoed, in one stream. */
    ECHO,
    /** {@link #OUTSTANDING} requests under way, each with a reply of its own. */
    ASK,
    /**
     * One call of an interface's method, with a record there and a record back, the next one at once: the round trip.
     */
    CALL,
    /** As {@link #CALL}, with bytes that no codec touches. */
    CALL_BYTES,
    /** {@link #OUTSTANDING} calls under way. */
    CALLS,
    /** What a call does beside its way: both records are encoded and decoded, all in one process. */
    CODEC,
    /** A connected pair that has nothing to say. */
    IDLE,
    /** The server sends without end, the client asks for one message and never for another. */
    STALL;

    public static final int OUTSTANDING = 64;

    /** As on the command line, in the lines between the processes and in the results. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Scenario of(String label) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no scenario \"" + label + "\". There are: "
                        + String.join(
                                ", ",
                                Arrays.stream(values()).map(Scenario::label).toList())));
    }

    /** Whether nothing happens, so that time alone ends the measurement. */
    public boolean isRest() {
        return this == IDLE || this == STALL;
    }

    /** Whether messages go to the client only, unanswered. */
    public boolean isOneWay() {
        return this == ONE_WAY || this == CHECKED || this == STALL;
    }

    /** Whether an interface is called. */
    public boolean isCall() {
        return this == CALL || this == CALL_BYTES || this == CALLS;
    }

    /** Whether the round trip's time is the result; else it is the rate. */
    public boolean timesRoundTrips() {
        return switch (this) {
            case RTT, LOANED, SLEEP, CALL, CALL_BYTES, CODEC -> true;
            default -> false;
        };
    }

    /** Whether the one result is better than the other: a shorter time or a higher rate. */
    public boolean isBetter(double one, double other) {
        return timesRoundTrips() ? one < other : one > other;
    }

    @Override
    public String toString() {
        return label();
    }
}
