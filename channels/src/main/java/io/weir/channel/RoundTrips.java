package io.weir.channel;

import java.time.Duration;

/**
 * How long a peer took to answer: percentiles of a sample. An {@link Peer#ask ask} counts from when it is handed to the
 * path until its answer is there, so what the peer's handler needs is part of it; a peer that says nothing for
 * {@code weir.keepalive.interval} is asked by its loop alone. A percentile is at most an eighth too high.
 *
 * @param count so many are in the sample; 0: the rest is zero and means nothing
 * @param p50 half of them took no longer
 * @param p90 nine of ten took no longer
 * @param p99 99 of 100 took no longer
 * @param max the longest one
 */
public record RoundTrips(long count, Duration p50, Duration p90, Duration p99, Duration max) {

    /** Nothing was measured. */
    public static final RoundTrips NONE = new RoundTrips(0, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
}
