package io.weir.simulator;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeds that once found something, each with what that was. */
class NamedSeedsTest {

    @ParameterizedTest
    @ValueSource(longs = {1})
    void staysMended(long seed) {
        Run run = new Run(seed);
        if (run.quickly().violation() != null) {
            throw new AssertionError(run.explained());
        }
    }
}
