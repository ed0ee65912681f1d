package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Long messages that are announced and do not come. */
class LongMessagesTest {

    private static final int SESSIONS = 3;
    private static final int CHANNELS = 4096;
    private static final int WANTING = 256;
    private static final long LONGEST = 64 << 20;
    private static final int HONEST = 8 << 20;
    private static final long HONEST_MILLIS = 5000;
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

    @ParameterizedTest
    @EnumSource(Size.class)
    void bytesThatAreWantedAndNeverUsed(Size size) throws Exception {
        Attack.on(size, attacker -> {
            AtomicInteger wanted = new AtomicInteger();
            attacker.attack(SESSIONS, number -> {
                Session session = attacker.session().read();
                for (Channel channel : openAll(session, "sink", WANTING)) {
                    if (channel.awaitAccept()) {
                        session.send(Frame.want(channel.number(), LONGEST));
                        wanted.incrementAndGet();
                    }
                }
            });
            assertThat(wanted).as("WANTs; %s", attacker.cuts()).hasPositiveValue();
            assertThat(millisOfLongMessage(attacker))
                    .as("a message of another peer")
                    .isLessThan(HONEST_MILLIS);
        });
    }

    /** How long a message of 8 MiB takes to be received by the handler. */
    private static long millisOfLongMessage(Attacker attacker) throws IOException, InterruptedException {
        try (Session honest =
                Session.connect(attacker.target().open(), Identity.fresh()).read()) {
            Channel channel = honest.open("sink", 0, 0, 0);
            assertThat(channel.awaitAccept())
                    .as("the other peer's channel is open")
                    .isTrue();
            long begun = System.nanoTime();
            assertThat(channel.sendWhole(Frame.data(channel.number(), new byte[HONEST])))
                    .as("the other peer's message was sent; %s", channel.error())
                    .isTrue();
            honest.send(Frame.of(Kind.END, Flag.CONFIRM, channel.number(), 0));
            assertThat(channel.awaitDelivered())
                    .as("the other peer's message has arrived")
                    .isTrue();
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            System.out.println("8 MiB in " + millis + " ms");
            return millis;
        }
    }

    private static void beginOnAll(Attacker attacker, String port) throws InterruptedException {
        AtomicInteger begun = new AtomicInteger();
        attacker.attack(SESSIONS, number -> {
            Session session = attacker.session().read();
            for (Channel channel : openAll(session, port, CHANNELS)) {
                if (channel.awaitAccept() && channel.items() > 0 && channel.bytes() > PIECE.length) {
                    channel.send(Frame.first(channel.number(), channel.bytes(), PIECE));
                    begun.incrementAndGet();
                }
            }
            attacker.lurk();
        });
        assertThat(begun)
                .as("messages that the node let us begin; %s", attacker.cuts())
                .hasPositiveValue();
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
