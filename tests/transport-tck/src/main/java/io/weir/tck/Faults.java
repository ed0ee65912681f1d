package io.weir.tck;

import java.time.Duration;

/**
 * What befalls the frames that are offered to a {@link FaultyLink}, as a script: the same script does the same to the
 * same sequence of frames. Shares are from 0 (never) to 1 (always) and are drawn for each frame, in the order of the
 * fields.
 *
 * @param seed where the draws begin
 * @param dropped share of the frames that are taken and never arrive
 * @param corrupted share of the frames with one wrong byte
 * @param truncated share of the frames whose body is cut
 * @param delayed share of the frames that are held back, and with them everything behind
 * @param longestDelay how long at most
 * @param breaksAfter the link breaks on both sides when this many frames were taken
 */
public record Faults(
        long seed,
        double dropped,
        double corrupted,
        double truncated,
        double delayed,
        Duration longestDelay,
        long breaksAfter) {

    private static final Faults NONE = seeded(0);

    /** A faultless link. */
    public static Faults none() {
        return NONE;
    }

    /** A script without faults yet. */
    public static Faults seeded(long seed) {
        return new Faults(seed, 0, 0, 0, 0, Duration.ZERO, Long.MAX_VALUE);
    }

    public Faults dropping(double share) {
        return new Faults(seed, share, corrupted, truncated, delayed, longestDelay, breaksAfter);
    }

    public Faults corrupting(double share) {
        return new Faults(seed, dropped, share, truncated, delayed, longestDelay, breaksAfter);
    }

    public Faults truncating(double share) {
        return new Faults(seed, dropped, corrupted, share, delayed, longestDelay, breaksAfter);
    }

    public Faults delaying(double share, Duration most) {
        return new Faults(seed, dropped, corrupted, truncated, share, most, breaksAfter);
    }

    public Faults breakingAfter(long frames) {
        return new Faults(seed, dropped, corrupted, truncated, delayed, longestDelay, frames);
    }
}
