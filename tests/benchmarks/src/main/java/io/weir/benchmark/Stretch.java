package io.weir.benchmark;

import java.util.Locale;

/**
 * How the two processors lay to each other while something was measured. A hypervisor moves them: within seconds, what
 * passes between them costs several times more or less.
 */
enum Stretch {
    NEAR,
    FAR,
    /** They moved during the measurement, which is worth nothing then. */
    MOVED;

    /** Near and far differ by a factor of 3.5 and more. */
    static final double NEAR_FACTOR = 3;

    /** Processors may be far apart during a whole run, and then nothing in it is near. */
    static final long NEAR_NANOS = 300;

    /**
     * @param beforeNanos the ring's round trip before the measurement
     * @param afterNanos the same after it
     * @param bestNanos the shortest ever seen in this run
     */
    static Stretch of(long beforeNanos, long afterNanos, long bestNanos) {
        double longest = Math.min(NEAR_NANOS, NEAR_FACTOR * bestNanos);
        boolean nearBefore = beforeNanos <= longest;
        boolean nearAfter = afterNanos <= longest;
        if (nearBefore != nearAfter) {
            return MOVED;
        }
        return nearBefore ? NEAR : FAR;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
