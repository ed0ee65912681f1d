package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Secret;
import io.weir.core.Codecs;
import io.weir.hostile.client.Exchange;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Key;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Session;
import io.weir.hostile.client.TcpWire;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;

/** The door of a node with a secret: strangers push, and those who know the secret come in. */
@Tag("one-jdk")
class DoorTest {

    private static final int PUSHERS = 3;
    private static final int HELD = 200;
    private static final int WELCOME = 5;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** What was made beforehand, so that the strangers have little to do. */
    private static final Key EPHEMERAL = Key.fresh();

    private static final Identity STRANGER = Identity.knowing("not the one");

    /** One who does something at a door. */
    interface Stranger {
        void say(TcpWire wire) throws IOException;
    }

    @EachSize
    void thousandsOfHellosWithoutTheSecret(Size size) throws Exception {
        Attack.on(size, attacker -> push(attacker, wire -> wire.send(hello(wire))));
    }

    @EachSize
    void thousandsOfHellosAndWrongProofs(Size size) throws Exception {
        Frame proof = proof(new byte[Key.LENGTH + 2 * Exchange.TAG]);
        Attack.on(size, attacker -> push(attacker, wire -> wire.send(hello(wire), proof)));
    }

    /** All of the exchange, but for what only the secret opens. */
    @EachSize
    void thousandsOfExchangesWithoutTheSecret(Size size) throws Exception {
        Attack.on(
                size,
                attacker -> push(
                        attacker,
                        wire -> wire.send(proof(
                                Session.greet(wire, STRANGER, EPHEMERAL, STRANGER.hello(wire.dialled(), EPHEMERAL))
                                        .proof()))));
    }

    @EachSize
    void thousandsOfConnectionsThatSayNothing(Size size) throws Exception {
        Attack.on(size, attacker -> push(attacker, wire -> wire.send(Frame.of(Kind.SKIPPED, 0, 0, 0))));
    }

    private static void push(Attacker attacker, Stranger stranger) throws Exception {
        List<String> turnedAway = new ArrayList<>();
        AtomicInteger in = new AtomicInteger();
        attacker.attack(PUSHERS + 1, number -> {
            if (number == PUSHERS) {
                knock(attacker, in, turnedAway);
                return;
            }
            Deque<TcpWire> held = new ArrayDeque<>();
            while (attacker.goesOn()) {
                TcpWire wire = attacker.wire(attacker.target().secret());
                held.add(wire);
                try {
                    stranger.say(wire);
                    attacker.did();
                } catch (IOException cut) {
                    // Refused already.
                }
                if (held.size() > HELD) {
                    held.remove().close();
                }
            }
        });
        assertThat(turnedAway)
                .as("who knows the secret and was turned away, %d strangers; %s", attacker.done(), attacker.cuts())
                .hasSizeLessThanOrEqualTo(Boolean.getBoolean("weir.hostile.strict") ? 0 : in.get());
        assertThat(in).as("who has come in").hasPositiveValue();
    }

    private static Frame hello(TcpWire wire) {
        return Frame.of(Kind.HELLO, 0, 0, 0).with(STRANGER.hello(wire.dialled(), EPHEMERAL));
    }

    private static Frame proof(byte[] body) {
        return Frame.of(Kind.PROOF, 0, 0, 0).with(body);
    }

    /** Peers that know the secret, one after the other. */
    private static void knock(Attacker attacker, AtomicInteger in, List<String> turnedAway) {
        for (int each = 0; each < WELCOME || attacker.goesOn(); each++) {
            Node node = Node.start(NodeSpec.builder()
                            .name("welcome")
                            .order("tcp")
                            .secret(Secret.of(Victim.SECRET))
                            .listen("tcp://127.0.0.1:0")
                            .build())
                    .block(LIMIT);
            try {
                Peer peer = node.connect(
                                "tcp://127.0.0.1:" + attacker.target().secret().getPort())
                        .block(LIMIT);
                String answer =
                        peer.ask("greet", "", Codecs.text(), Codecs.text()).block(LIMIT);
                if ("hello".equals(answer)) {
                    in.incrementAndGet();
                } else {
                    turnedAway.add("was answered by " + answer);
                }
            } catch (RuntimeException refused) {
                turnedAway.add(refused.toString());
            } finally {
                node.close().block(LIMIT);
            }
        }
    }
}
