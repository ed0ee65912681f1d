package io.weir.simulator;

import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The schedules that {@link SimulatorTest} leaves out. A seed that is named is replayed there. */
@Tag("one-jdk")
class OtherSchedulesTest {

    @Test
    void usersSeeWhatTheyWerePromised() {
        assumeThat(Long.getLong("weir.simulator.seed")).isNull();
        Schedules.ODD.verify();
    }
}
