package io.weir.simulator;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Seeds that once found something, and the extent of the schedule that did. */
@Tag("one-jdk")
class NamedSeedsTest {

    @ParameterizedTest
    @CsvSource({
        "of several crossing connections only one gives way, FAULTS, 2936340266296909718",
        "of several crossing connections only one gives way, FAULTS, -1103596433031161968",
        "a connection shall give way when it is in use already, FAULTS, -7745787255660465704",
        "a connection shall give way when it is in use already, FAULTS, 5268976022550387178",
        "who waits for the other connection fails with a third one, FAULTS, -807375099622581361",
        "who waits for the other connection fails with a third one, FAULTS, 5674018563850615456",
        "a node closes and its users still wait for a connection, FAULTS, -4512745478192655552",
        "an OPEN that found no room is overtaken by a later one, FAULTS, 4443868727790478482",
        "an OPEN that found no room is overtaken by a later one, FAULTS, 1620955535808111569",
        "after a long message nobody looks for credit to grant, FAULTS, 8447382987150514257",
        "after a long message nobody looks for credit to grant, FAULTS, 2628030001155802136",
        "who has cancelled is told that the channel was closed, FAULTS, 3652143203279742945",
        "an OPENED of the handshake comes when the session is open, FAULTS, 7557054582068605252",
        "an OPENED of the handshake comes when the session is open, FAULTS, -2337387239375193234",
        "one side of a handshake has a session and the other tries the next path, FAULTS, 7841859294298487177",
        "one side of a handshake has a session and the other tries the next path, FAULTS, -5940595084307820535",
        "a USE is answered that was given up meanwhile, FAULTS, -939497896092586998",
        "the bootstrap connection is used by one side and was given up by the other, FAULTS, -5645279897963667089",
        "the bootstrap connection is used by one side and was given up by the other, FAULTS, -8140367820811340633",
        "the bootstrap connection is used by one side and was given up by the other, FAULTS, -8100305686848954582",
        "the bootstrap connection is used by one side and was given up by the other, FAULTS, -2145472711065107358",
        "who was wanted elsewhere stays there when that path was lost with the bootstrap connection, OPERATORS, "
                + "-4480742271018959422",
        "who was wanted elsewhere stays there when that path was lost with the bootstrap connection, EXCHANGES, "
                + "8082403401869007121",
        "a path is told that the peer had given up before it was used, SECRETS, -7039800936786238062",
        "a wish is never answered as the peer has died, SECRETS, 8764592582615956641",
        "a wish comes before the USE that begins the session, SECRETS, 8643981901388510787",
        "a wish is granted and its path lost meanwhile, SECRETS, 8584339931645907943",
        "who leaves is still asking whether all has come when the node closes, SECRETS, -5623180554031480950",
        "who leaves without a connection waits for room to say so, SECRETS, 6749402111494410042",
        "a handshake is given up when the other side has a session, DEVICES, 1293711180358909427",
        "what has to go once more goes behind MOVE, DEVICES, -8978526914118414986",
        "a reader takes all that is there before the loop has noticed, DEVICES, -2262517385565684571",
        "a reader wants more while its sender may send more, DEVICES, 2338127342049817198",
        "a session ends while it is awaited, DEVICES, -7232706089588178517",
        "a session ends while it is awaited, DEVICES, 694322794840393769"
    })
    void staysMended(String what, Extent extent, long seed) {
        Run run = new Run(seed, extent);
        if (run.quickly().violation() != null) {
            throw new AssertionError(what + ": " + run.explained());
        }
    }
}
