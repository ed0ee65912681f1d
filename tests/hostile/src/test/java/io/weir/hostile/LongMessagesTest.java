package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Long messages that are announced and do not come. */
class LongMessagesTest {

    private static final int SESSIONS = 3;
    private static final int CHANNELS = 4096;
    private static final int WANTING = 256;
    private static final long LONGEST = 64 << 20;
    private static final long HONEST_MILLIS = 5000;
    private static final byte[] PIECE = new byte[8];

    @EachSize
    void beginningsOfLongMessagesOnThousandsOfChannels(Size size) throws Exception {
        Attack.on(size, attacker -> beginOnAll(attacker, "sink"));
    }

    @EachSize
    void beginningsOfLongMessagesOnThousandsOfChannelsThatNobodyReads(Size size) throws Exception {
        Attack.on(size, attacker -> beginOnAll(attacker, "never"));
    }

    @EachSize
    void beginningsOfLongMessagesInThousandsOfTunnels(Size size) throws Exception {
        Attack.on(size, attacker -> beginOnAll(attacker, "weir.tunnel"));
    }

    @EachSize
    void bytesThatAreWantedAndNeverUsed(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attack(SESSIONS, number -> {
                Session session = attacker.session().read();
                for (Channel channel : openAll(session, "sink", WANTING)) {
                    if (channel.awaitAccept()) {
                        session.send(Frame.want(channel.number(), LONGEST));
                        attacker.did();
                    }
                }
            });
            assertThat(HonestTest.millisOfLongMessage(attacker.target(), honest(size)))
                    .as("a message of another peer")
                    .isLessThan(HONEST_MILLIS);
        });
    }

    /** In a small JVM the attackers have windows that leave no more; what needs more waits until they are gone. */
    private static int honest(Size size) {
        return size == Size.ROOMY ? 8 << 20 : 2 << 20;
    }

    private static void beginOnAll(Attacker attacker, String port) throws InterruptedException {
        attacker.attack(SESSIONS, number -> {
            Session session = attacker.session().read();
            for (Channel channel : openAll(session, port, CHANNELS)) {
                if (channel.awaitAccept() && channel.items() > 0 && channel.bytes() > PIECE.length) {
                    channel.send(Frame.first(channel.number(), channel.bytes(), PIECE));
                    attacker.did();
                }
            }
            attacker.lurk();
        });
    }

    private static List<Channel> openAll(Session session, String port, int number) throws IOException {
        List<Channel> channels = new ArrayList<>();
        List<Frame> frames = new ArrayList<>();
        for (int count = 0; count < number; count++) {
            Channel channel = session.channel(2 * count + 1);
            channels.add(channel);
            frames.add(Frame.open(channel.number(), port, 0, 16, 1 << 16));
        }
        session.send(frames.toArray(Frame[]::new));
        return channels;
    }
}
