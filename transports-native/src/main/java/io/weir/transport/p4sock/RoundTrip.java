package io.weir.transport.p4sock;

/** How long the way there and back takes, as RFC 6298 reckons it, in nanoseconds. */
final class RoundTrip {

    /** The other side may take so long to answer: what it delays acknowledgements by, and time to be scheduled. */
    private static final long LEAST = 5_000_000;

    private static final long MOST = 200_000_000;
    /** Before anything is known. */
    private static final long UNKNOWN = 20_000_000;

    private long smoothed;
    private long deviation;
    private long shortest = Long.MAX_VALUE;

    void sample(long nanos) {
        shortest = Math.min(shortest, nanos);
        if (smoothed == 0) {
            smoothed = nanos;
            deviation = nanos / 2;
        } else {
            deviation += (Math.abs(nanos - smoothed) - deviation) / 4;
            smoothed += (nanos - smoothed) / 8;
        }
    }

    /** After this time without an answer there will be none. */
    long patience() {
        return smoothed == 0 ? UNKNOWN : Math.max(LEAST, Math.min(MOST, smoothed + 4 * deviation));
    }

    /** After this time most answers have come. */
    long usual() {
        return smoothed == 0 ? LEAST : smoothed + deviation;
    }

    /** The shortest that was seen; 0 if there was none. */
    long shortest() {
        return shortest == Long.MAX_VALUE ? 0 : shortest;
    }
}
