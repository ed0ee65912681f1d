package io.weir.simulator;

import java.util.SplittableRandom;

/** A half of the schedules of a build: one thread does everything in a JVM, so two JVMs need half the time. */
enum Schedules {
    EVEN,
    ODD;

    static final long BASE = Long.getLong("weir.simulator.base", 1);

    private static final int COUNT = Integer.getInteger("weir.simulator.schedules", 500);

    /** Both halves draw all seeds, so together they verify the same ones as a single JVM would. */
    void verify() {
        SplittableRandom seeds = new SplittableRandom(BASE);
        for (int i = 0; i < COUNT; i++) {
            long seed = seeds.nextLong();
            if (i % values().length == ordinal()) {
                verify(seed);
            }
        }
    }

    static void verify(long seed) {
        Run run = new Run(seed);
        if (run.quickly().violation() != null) {
            throw new AssertionError(run.explained());
        }
    }
}
