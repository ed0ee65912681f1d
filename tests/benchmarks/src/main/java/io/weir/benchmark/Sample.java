package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Measurement;

/**
 * One measurement of an entrant, with the ring as it was just before.
 *
 * @param ring the ring in the same cell
 * @param ringRttBeforeNanos the ring's round trip of 32 B, by which near and far are told
 * @param ringRttAfterNanos the same, after the measurement
 */
record Sample(
        String entrant,
        String variant,
        Cell cell,
        int round,
        Outcome outcome,
        Measurement ring,
        long ringRttBeforeNanos,
        long ringRttAfterNanos) {

    /** Counting by ticks of 10 ms errs by this much over the shortest measurements. */
    private static final double DISTURBING_CORES = 0.2;

    /** Whether others took so much of the processors that the figures are theirs rather than the entrant's. */
    boolean isDisturbed() {
        return outcome.foreignCores() > DISTURBING_CORES || outcome.stolenCores() > DISTURBING_CORES;
    }

    /** The nearness, judged by the shortest round trip of the whole run. */
    Stretch stretch(long bestRttNanos) {
        return Stretch.of(ringRttBeforeNanos, ringRttAfterNanos, bestRttNanos);
    }

    /** Whether the figures may be used. */
    boolean isSound(long bestRttNanos) {
        return !isDisturbed() && stretch(bestRttNanos) != Stretch.MOVED;
    }

    /** Whether the figures may be used, and were taken where both processors were that near or far. */
    boolean isSoundIn(Stretch stretch, long bestRttNanos) {
        return isSound(bestRttNanos) && stretch(bestRttNanos) == stretch;
    }

    /** The figure that this cell is about: nanoseconds of a round trip, or messages in a second. */
    double value() {
        return valueOf(cell, outcome.measured());
    }

    /**
     * Compares what both have in proportion to the ring, since one may have been measured near and the other one far.
     */
    boolean isBetterThan(Sample other) {
        return cell.scenario().isBetter(overRing(), other.overRing());
    }

    /** {@link #value} divided by the ring's. */
    double overRing() {
        return value() / valueOf(cell, ring);
    }

    private static double valueOf(Cell cell, Measurement measured) {
        return cell.scenario().timesRoundTrips() ? measured.p50Nanos() : measured.rate();
    }
}
