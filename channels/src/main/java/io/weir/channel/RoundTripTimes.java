package io.weir.channel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Counts round-trip times by their length: since the beginning, and over about the last minute. Written by the loop;
 * other threads read counts that may be a little old.
 */
final class RoundTripTimes {

    /** So many lengths between one power of two and the next: what is read is at most an eighth too high. */
    private static final int STEPS = 8;

    /** Shorter ones are counted as this, 64 ns: no path is as fast. */
    private static final int LOWEST = 6;

    /** Longer ones are counted as this, 18 minutes. */
    private static final int HIGHEST = 40;

    private static final int LENGTHS = (HIGHEST - LOWEST) * STEPS;

    /** The last minute is this many slices, of which the latest is not full yet. */
    private static final int SLICES = 4;

    static final long SLICE_NANOS = 15_000_000_000L;

    private final Counts all = new Counts(0);
    private final AtomicReferenceArray<Counts> slices = new AtomicReferenceArray<>(SLICES);

    /** @param now on the clock that is read with */
    void add(long nanos, long now) {
        all.add(nanos);
        long slice = Math.floorDiv(now, SLICE_NANOS);
        int place = Math.floorMod(slice, SLICES);
        Counts counts = slices.getPlain(place);
        if (counts == null || counts.slice != slice) {
            counts = new Counts(slice);
            slices.setRelease(place, counts);
        }
        counts.add(nanos);
    }

    RoundTrips all() {
        return sum(List.of(all));
    }

    /** Those that were added between 45 seconds and a minute before, and since. */
    RoundTrips lately(long now) {
        long slice = Math.floorDiv(now, SLICE_NANOS);
        List<Counts> late = new ArrayList<>(SLICES);
        for (int i = 0; i < SLICES; i++) {
            Counts counts = slices.getAcquire(i);
            if (counts != null && slice - counts.slice < SLICES) {
                late.add(counts);
            }
        }
        return sum(late);
    }

    private static RoundTrips sum(List<Counts> parts) {
        long[] sums = new long[LENGTHS];
        long count = 0;
        long longest = 0;
        for (Counts part : parts) {
            longest = Math.max(longest, part.longest);
            for (int i = 0; i < LENGTHS; i++) {
                long seen = part.counts[i];
                sums[i] += seen;
                count += seen;
            }
        }
        return count == 0
                ? RoundTrips.NONE
                : new RoundTrips(
                        count,
                        percentile(sums, count, 50, longest),
                        percentile(sums, count, 90, longest),
                        percentile(sums, count, 99, longest),
                        Duration.ofNanos(longest));
    }

    private static Duration percentile(long[] sums, long count, int percent, long longest) {
        long below = count - count * percent / 100 - (count * percent % 100 == 0 ? 0 : 1);
        int length = LENGTHS - 1;
        for (long above = sums[length]; above <= below && length > 0; ) {
            above += sums[--length];
        }
        return Duration.ofNanos(Math.min(longest, highest(length)));
    }

    /** Which length this is counted as. */
    private static int length(long nanos) {
        long within = Math.min(Math.max(nanos, 1L << LOWEST), (1L << HIGHEST) - 1);
        int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(within);
        int step = (int) (within >>> (power - 3)) & (STEPS - 1);
        return (power - LOWEST) * STEPS + step;
    }

    /** The longest one that is counted as this. */
    private static long highest(int length) {
        int power = LOWEST + length / STEPS;
        return (1L << power) + ((length % STEPS + 1L) << (power - 3)) - 1;
    }

    private static final class Counts {

        /** Since the clock's origin. */
        final long slice;

        final long[] counts = new long[LENGTHS];
        long longest;

        Counts(long slice) {
            this.slice = slice;
        }

        void add(long nanos) {
            counts[length(nanos)]++;
            longest = Math.max(longest, nanos);
        }
    }
}
