package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.FrameKind;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Relay;
import io.weir.integration.Stranger;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Those who say that a connection is for a session that there is. */
class RejoiningStrangersTest implements OnRoute {

    private static NodeSpec.Builder patient(NodeSpec.Builder spec) {
        return spec.rejoinTimeout(Duration.ofSeconds(30));
    }

    private static Stranger inSession(Node node) {
        Stranger stranger = Stranger.inSession(node.address());
        Patience.until("the session is there", () -> node.connected().size() == 1);
        return stranger;
    }

    @Test
    void aSessionThatIsNotThere(Nodes nodes) {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.rejoin(42);
            assertThat(stranger.refusal().text()).contains("this session has ended");
            stranger.awaitEnd();
        }
    }

    /** Who does not know the number gets nothing, and disturbs nobody. */
    @Test
    void aSessionOfSomebodyElse(Nodes nodes) {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (Stranger stranger = inSession(node)) {
            try (Stranger other = Stranger.connect(node.address());
                    Stranger guessing = stranger.again(node.address())) {
                other.rejoin(stranger.sessionNumber);
                assertThat(other.refusal().text()).contains("this session has ended");
                guessing.rejoin(stranger.sessionNumber + 1);
                assertThat(guessing.refusal().text()).contains("this session has ended");
            }
            assertThat(node.connected()).hasSize(1);
            stranger.send(FrameKind.PING, 0, 0, 0);
            assertThat(stranger.await(FrameKind.PONG)).isNotNull();
        }
    }

    /** It is the right one, with the right number. But somebody in between would be in the session from then on. */
    @Test
    void aDirectSessionThroughSomebodyElse(Nodes nodes) throws IOException {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (Stranger stranger = inSession(node);
                Relay between = new Relay(node.address())) {
            try (Stranger next =
                    stranger.againOver(new Socket("127.0.0.1", between.address().port()))) {
                next.rejoin(stranger.sessionNumber);
                assertThat(next.refusal().text()).contains("this session does not go on");
                next.awaitEnd();
            }
            assertThat(node.connected()).hasSize(1);
            stranger.send(FrameKind.PING, 0, 0, 0);
            assertThat(stranger.await(FrameKind.PONG)).isNotNull();
        }
    }

    /** Nor does the side that connects anew go on so: it tries again, until it is the peer itself that answers. */
    @Test
    void aDirectSessionThatIsDialledThroughSomebodyElse(Nodes nodes) throws IOException {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            var peer = node.connect("tcp://127.0.0.1:" + server.getLocalPort()).toFuture();
            Stranger first = Stranger.of(server.accept());
            first.join();
            assertThat(peer).succeedsWithin(Patience.LIMIT);
            first.close();
            try (Stranger passedOn = first.again(server.accept())) {
                passedOn.hello();
                passedOn.say(passedOn.proof());
                passedOn.say(passedOn.lastProof(0));
                for (Stranger.Arrived frame; (frame = passedOn.read()) != null; ) {
                    assertThat(frame.kind()).isNotEqualTo(FrameKind.REJOIN);
                }
            }
            try (Stranger itself = first.again(server.accept())) {
                itself.greet();
                assertThat(itself.await(FrameKind.REJOIN)).isNotNull();
            }
        }
    }

    /** Whoever rejoins may change his mind, as in every state. */
    @Test
    void refusesInsteadOfRejoining(Nodes nodes) {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.greetAgain();
            stranger.send(FrameKind.REFUSE, 0, 0, 0, "no more".getBytes(StandardCharsets.UTF_8));
            stranger.awaitEndWithoutAWord();
        }
    }

    @Test
    void somethingElseThanRejoin(Nodes nodes) {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.greetAgain();
            stranger.card(Map.of("tcp", ""));
            assertThat(stranger.refusal().text()).contains("CARD has no place where a session goes on");
            stranger.awaitEnd();
        }
    }

    @Test
    void rejoinWithoutSayingSo(Nodes nodes) {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.greet();
            stranger.send(FrameKind.REJOIN, 0, 42, 0);
            assertThat(stranger.refusal().text()).contains("REJOIN has no place here");
            stranger.awaitEnd();
        }
    }

    @Test
    void rejoinAndSilence(Nodes nodes) {
        Node node = nodes.start("node", spec -> patient(spec).handshakeTimeout(Duration.ofMillis(200)));
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.greetAgain();
            stranger.awaitEnd();
        }
    }

    @Test
    void rejoinInTheMiddleOfASession(Nodes nodes) {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (Stranger stranger = inSession(node)) {
            stranger.send(FrameKind.REJOIN, 0, stranger.sessionNumber, 0);
            assertThat(stranger.await(FrameKind.GOODBYE).text()).contains("REJOIN has no place");
            stranger.awaitEnd();
        }
        Patience.until("the session has ended", () -> node.connected().isEmpty());
    }

    /** Each connection takes the place of the one before, which lives and is closed. Nothing is left of it. */
    @Test
    void againAndAgain(Nodes nodes) {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (Stranger first = inSession(node)) {
            Stranger present = first;
            for (int round = 2; round < 40; round++) {
                Stranger next = first.again(node.address());
                next.rejoin(first.sessionNumber);
                assertThat(next.await(FrameKind.REJOIN).first()).isEqualTo(first.sessionNumber);
                if (round % 2 == 0) {
                    next.goOn(round, 0);
                    assertThat(next.await(FrameKind.RESUME).first()).isZero();
                }
                present.awaitEnd();
                present.close();
                present = next;
            }
            assertThat(node.connected()).hasSize(1);
            present.close();
        }
    }

    /** A peer that says it had more than was sent is no peer. */
    @Test
    void resumesBeyondWhatWasSent(Nodes nodes) {
        Node node = nodes.start("node", RejoiningStrangersTest::patient);
        try (Stranger stranger = inSession(node);
                Stranger next = stranger.again(node.address())) {
            next.rejoin(stranger.sessionNumber);
            next.goOn(2, 1_000_000);
            assertThat(next.await(FrameKind.GOODBYE).text()).contains("RESUME after 1000000 frames");
            next.awaitEnd();
        }
        Patience.until("the session has ended", () -> node.connected().isEmpty());
    }

    /** It comes back, and never agrees on a path. */
    @Test
    void neverGoesOn(Nodes nodes) {
        Node node = nodes.start("node", spec -> patient(spec).resumeTimeout(Duration.ofMillis(200)));
        try (Stranger stranger = inSession(node);
                Stranger next = stranger.again(node.address())) {
            next.rejoin(stranger.sessionNumber);
            assertThat(next.await(FrameKind.GOODBYE).text()).contains("weir.timeout.resume");
            next.awaitEnd();
        }
        Patience.until("the session has ended", () -> node.connected().isEmpty());
    }
}
