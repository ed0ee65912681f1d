package io.weir.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every second schedule; {@link OtherSchedulesTest} has the others. */
@Tag("one-jdk")
class SimulatorTest {

    @Test
    void usersSeeWhatTheyWerePromised() {
        Long one = Long.getLong("weir.simulator.seed");
        if (one != null) {
            Schedules.verify(one);
        } else {
            Schedules.EVEN.verify();
        }
    }

    /** Else no seed could be replayed. */
    @Test
    void theSameSeedGivesTheSameTrace() {
        SplittableRandom seeds = new SplittableRandom(Schedules.BASE + 1);
        for (int i = 0; i < 100; i++) {
            Run run = new Run(seeds.nextLong());
            Run.Outcome first = run.traced();
            Run.Outcome second = run.traced();
            assertThat(second.violation()).as("seed %s", run.seed()).isEqualTo(first.violation());
            assertThat(second.digest()).as("seed %s", run.seed()).isEqualTo(first.digest());
        }
    }
}
