package io.weir.hostile;

import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Session;
import java.io.IOException;
import org.junit.jupiter.api.Tag;

/** Numbers of channels that come again, or go once round. */
@Tag("one-jdk")
class ChannelNumbersTest {

    private static final int SESSIONS = 2;
    private static final int WIDEST_STEP = 1 << 24;
    private static final int MESSAGES = 64;
    private static final byte[] PAYLOAD = new byte[4096];

    @EachSize
    void numbersThatWrapInLeaps(Size size) throws Exception {
        // 1, 0x7ffffff1, 0xffffffe1, 1 and so on.
        Attack.on(size, attacker -> wrap(attacker, 0x7ffffff0, 5));
    }

    @EachSize
    void numbersThatWrapInPermittedSteps(Size size) throws Exception {
        Attack.on(size, attacker -> wrap(attacker, WIDEST_STEP, 300));
    }

    @EachSize
    void theSameNumberAgainAndAgain(Size size) throws Exception {
        Attack.on(size, attacker -> wrap(attacker, 0, 50));
    }

    private static void wrap(Attacker attacker, int step, int count) throws InterruptedException {
        attacker.attack(SESSIONS, number -> {
            while (attacker.goesOn()) {
                Session session = attacker.session().read();
                try {
                    int channel = 1;
                    for (int opened = 0; opened < count && session.ending().isEmpty(); opened++) {
                        String port = opened % 2 == 0 ? "never" : "echo";
                        session.send(Frame.open(channel, port, 0, 0, 0));
                        flood(session, channel);
                        channel += step;
                    }
                } catch (IOException cut) {
                    // What the first wrong number is answered by.
                } finally {
                    session.close();
                }
                attacker.did();
            }
        });
    }

    private static void flood(Session session, int channel) throws IOException {
        Frame[] frames = new Frame[MESSAGES];
        for (int each = 0; each < MESSAGES; each++) {
            frames[each] = each % 8 == 0
                    ? Frame.of(Kind.FIRST, 0, channel, 0, 1 << 16).with(new byte[8])
                    : Frame.data(channel, PAYLOAD);
        }
        session.send(frames);
    }
}
