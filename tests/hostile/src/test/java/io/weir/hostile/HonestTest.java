package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Session;
import io.weir.hostile.client.TunnelWire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The client as it is meant by {@code docs/wire.md}: what it attacks with has to work, or an attack proves nothing. */
@Tag("one-jdk")
class HonestTest {

    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.UTF_8);

    @Test
    void anEchoAndAnAnswer() throws Exception {
        try (Session session = Session.connect(Attack.target(Size.ROOMY).open(), Identity.fresh())) {
            assertThat(session.leads()).isTrue();
            talk(session);
        }
    }

    @Test
    void anEchoAndAnAnswerBehindAProof() throws Exception {
        try (Session session = Session.connect(Attack.target(Size.ROOMY).secret(), Identity.knowing(Victim.SECRET))) {
            talk(session);
        }
    }

    @Test
    void anEchoAndAnAnswerBehindAProofOfTwoSecrets() throws Exception {
        String unknown = "the node does not know this one";
        for (Identity identity :
                List.of(Identity.knowing(unknown, Victim.SECRET), Identity.knowing(Victim.SECRET, unknown))) {
            try (Session session = Session.connect(Attack.target(Size.ROOMY).secret(), identity)) {
                talk(session);
            }
        }
    }

    @Test
    void anEchoAndAnAnswerThroughATunnel() throws Exception {
        try (Session outer = Session.connect(Attack.target(Size.ROOMY).open(), Identity.fresh());
                Session inner = Session.over(new TunnelWire(outer), Identity.fresh())) {
            assertThat(inner.leads()).isFalse();
            talk(inner);
        }
    }

    @EachSize
    void aLongMessage(Size size) throws Exception {
        assertThat(millisOfLongMessage(Attack.target(size), 8 << 20)).isPositive();
    }

    /** How long such a message takes to be received by a handler, in a session of its own. */
    static long millisOfLongMessage(Target target, int length) throws IOException, InterruptedException {
        try (Session session = Session.connect(target.open(), Identity.fresh()).read()) {
            Channel channel = session.open("sink", 0, 0, 0);
            assertThat(channel.awaitAccept()).as(channel.error()).isTrue();
            long begun = System.nanoTime();
            assertThat(channel.sendWhole(Frame.data(channel.number(), new byte[length])))
                    .as("there is credit for the message; %s; %s", channel.error(), target.memory())
                    .isTrue();
            session.send(Frame.of(Kind.END, Flag.CONFIRM, channel.number(), 0));
            assertThat(channel.awaitDelivered())
                    .as("the message has arrived; %s", channel.error())
                    .isTrue();
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        }
    }

    private static void talk(Session session) throws Exception {
        session.read();
        Channel echo = session.open("echo", 0, 10, 1000);
        assertThat(echo.awaitAccept()).as(echo.error()).isTrue();
        assertThat(echo.sendWhole(Frame.data(echo.number(), HELLO))).isTrue();
        assertThat(echo.awaitMessage()).isEqualTo(HELLO);
        session.send(Frame.of(Kind.END, Flag.CONFIRM, echo.number(), 0));
        assertThat(echo.awaitDelivered()).isTrue();
        Channel greet = session.open("greet", Flag.REQUESTS, 10, 1000);
        assertThat(greet.awaitAccept()).as(greet.error()).isTrue();
        assertThat(greet.sendWhole(Frame.request(greet.number(), 1, new byte[0])))
                .isTrue();
        assertThat(greet.awaitMessage()).isEqualTo(HELLO);
    }
}
