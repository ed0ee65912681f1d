package io.weir.simulator;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Seeds that once found something. Whoever changes what schedules are made of loses them, and need not keep them. */
class NamedSeedsTest {

    @ParameterizedTest
    @CsvSource({
        "of several crossing connections only one gives way, 2011588740345853853",
        "of several crossing connections only one gives way, -2881298809180318832",
        "a connection shall give way when it is in use already, 3268540239626814838",
        "a connection shall give way when it is in use already, 5257475748026527484",
        "who waits for the other connection fails with a third one, 5925959435716335780",
        "who waits for the other connection fails with a third one, -2685131881125088320",
        "a node closes and its users still wait for a connection, -5543889215358892744",
        "an OPEN that found no room is overtaken by a later one, 168830434453861864",
        "an OPEN that found no room is overtaken by a later one, 1517707933356291868",
        "after a long message nobody looks for credit to grant, -2444881933775084995",
        "after a long message nobody looks for credit to grant, 2948943121435412653",
        "who has cancelled is told that the channel was closed, -7048093697719303831"
    })
    void staysMended(String what, long seed) {
        Run run = new Run(seed);
        if (run.quickly().violation() != null) {
            throw new AssertionError(what + ": " + run.explained());
        }
    }
}
