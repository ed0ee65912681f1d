package io.weir.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("one-jdk")
class SimulatorTest {

    private static final int SCHEDULES = Integer.getInteger("weir.simulator.schedules", 500);
    private static final long BASE = Long.getLong("weir.simulator.base", 1);

    @Test
    void usersSeeWhatTheyWerePromised() {
        Long one = Long.getLong("weir.simulator.seed");
        if (one != null) {
            verify(one);
            return;
        }
        SplittableRandom seeds = new SplittableRandom(BASE);
        for (int i = 0; i < SCHEDULES; i++) {
            verify(seeds.nextLong());
        }
    }

    private static void verify(long seed) {
        Run run = new Run(seed);
        if (run.quickly().violation() != null) {
            throw new AssertionError(run.explained());
        }
    }

    /** Else no seed could be replayed. */
    @Test
    void theSameSeedGivesTheSameTrace() {
        SplittableRandom seeds = new SplittableRandom(BASE + 1);
        for (int i = 0; i < 100; i++) {
            Run run = new Run(seeds.nextLong());
            Run.Outcome first = run.traced();
            Run.Outcome second = run.traced();
            assertThat(second.violation()).as("seed %s", run.seed()).isEqualTo(first.violation());
            assertThat(second.digest()).as("seed %s", run.seed()).isEqualTo(first.digest());
        }
    }
}
