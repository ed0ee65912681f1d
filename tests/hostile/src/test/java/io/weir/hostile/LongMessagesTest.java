package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Long messages that are announced and do not come. */
class LongMessagesTest {

    private static final int SESSIONS = 3;
    private static final int CHANNELS = 4096;
    private static final byte[] PIECE = new byte[8];

    @ParameterizedTest
    @EnumSource(Size.class)
    void beginningsOfLongMessagesOnThousandsOfChannels(Size size) throws Exception {
        Attack.on(size, attacker -> beginOnAll(attacker, "sink"));
    }

    @ParameterizedTest
    @EnumSource(Size.class)
    void beginningsOfLongMessagesOnThousandsOfChannelsThatNobodyReads(Size size) throws Exception {
        Attack.on(size, attacker -> beginOnAll(attacker, "never"));
    }

    @ParameterizedTest
    @EnumSource(Size.class)
    void beginningsOfLongMessagesInThousandsOfTunnels(Size size) throws Exception {
        Attack.on(size, attacker -> beginOnAll(attacker, "weir.tunnel"));
    }

    private static void beginOnAll(Attacker attacker, String port) throws InterruptedException {
        AtomicInteger begun = new AtomicInteger();
        attacker.attack(SESSIONS, number -> {
            Session session = attacker.session().read();
            for (Channel channel : openAll(session, port)) {
                if (channel.awaitAccept() && channel.items() > 0 && channel.bytes() > PIECE.length) {
                    channel.send(Frame.first(channel.number(), channel.bytes(), PIECE));
                    begun.incrementAndGet();
                }
            }
            attacker.lurk();
        });
        assertThat(begun).as("messages that the node let us begin").hasPositiveValue();
    }

    private static List<Channel> openAll(Session session, String port) throws IOException {
        List<Channel> channels = new ArrayList<>();
        List<Frame> frames = new ArrayList<>();
        for (int count = 0; count < CHANNELS; count++) {
            Channel channel = session.channel(2 * count + 1);
            channels.add(channel);
            frames.add(Frame.open(channel.number(), port, 0, 16, 1 << 16));
        }
        session.send(frames.toArray(Frame[]::new));
        return channels;
    }
}
