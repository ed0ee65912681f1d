package io.weir.simulator;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Seeds that once found something. Whoever changes what schedules are made of loses them, and need not keep them. */
class NamedSeedsTest {

    @ParameterizedTest
    @CsvSource({
        "of several crossing connections only one gives way, 690534760664260851",
        "of several crossing connections only one gives way, 4262237902047870824",
        "a connection shall give way when it is in use already, -1554177153763425943",
        "a connection shall give way when it is in use already, -178923923400714267",
        "who waits for the other connection fails with a third one, 710745620198725591",
        "an OPEN that found no room is overtaken by a later one, -8228764654461378692",
        "an OPEN that found no room is overtaken by a later one, 359837355761081862",
        "after a long message nobody looks for credit to grant, -8054562572273863249",
        "after a long message nobody looks for credit to grant, 7506116446498973877",
        "who has cancelled is told that the channel was closed, 7227642440023977685"
    })
    void staysMended(String what, long seed) {
        Run run = new Run(seed);
        if (run.quickly().violation() != null) {
            throw new AssertionError(what + ": " + run.explained());
        }
    }
}
