package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.channel.Node;
import io.weir.core.FrameKind;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.TimedOut;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Stranger;
import io.weir.integration.StrangersDoor;
import io.weir.tck.Seed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Somebody on the port who is no peer, and peers that turn out to be something else: said clearly, and life goes on.
 */
@Tag("one-jdk")
class StrangersTest implements OnRoute {

    private static final Duration SOON = Duration.ofSeconds(3);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
                "SSH-2.0-OpenSSH_9.2\r\n",
                "\n",
                "WEIR"
            })
    void whoSpeaksSomethingElseIsShownTheDoor(String words, Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.handshakeTimeout(SOON));

        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.write(words.getBytes(StandardCharsets.ISO_8859_1));
            stranger.awaitEnd();
        }

        nodes.goesOn(node);
    }

    @Test
    void randomBytes(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.handshakeTimeout(SOON));
        SplittableRandom random = Seed.random("strangers");
        for (int i = 0; i < 100; i++) {
            byte[] bytes = new byte[random.nextInt(1, 5_000)];
            random.nextBytes(bytes);
            try (Stranger stranger = Stranger.connect(node.address())) {
                stranger.write(bytes);
                if (i % 10 == 0) {
                    stranger.awaitEnd();
                }
            }
        }
        nodes.goesOn(node);
    }

    @Test
    void whoSaysNothingIsNotAwaitedForEver(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.handshakeTimeout(SOON));
        try (Stranger silent = Stranger.connect(node.address());
                Stranger halfway = Stranger.connect(node.address());
                Stranger slow = Stranger.connect(node.address())) {
            halfway.write(new byte[] {40, 0, 0, 0, 1});
            slow.greet();
            slow.card(Map.of("tcp", ""));
            assertThat(silent.read()).as("what a node says to who says nothing").isNull();
            halfway.awaitEnd();
            slow.awaitEnd();
        }
        nodes.goesOn(node);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 9})
    void anotherMajorVersionIsRefused(int major, Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.hello(major, 3);
            Stranger.Arrived refusal = stranger.refusal();
            assertThat(refusal.text()).contains(major + ".3").contains("version");
            stranger.awaitEnd();
        }
        nodes.goesOn(node);
    }

    @Test
    void anotherMinorVersionIsWelcome(Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.hello(Stranger.MAJOR, 200);
            stranger.prove();
            assertThat(stranger.await(FrameKind.CARD)).isNotNull();
        }
        nodes.goesOn(node);
    }

    /** Everything that can be said wrongly before a session begins. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello twice",
                "hello after the proof",
                "card first",
                "card before the proof",
                "data before the proof",
                "card malformed",
                "card twice",
                "data",
                "use",
                "offer without card",
                "propose before card",
                "attempt goes back",
                "probe of nobody",
                "giant",
                "negative",
                "unknown kind",
                "control longer than the frame",
                "short hello",
                "long name"
            })
    void whatBreaksTheHandshake(String what, Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.connect(node.address())) {
            switch (what) {
                case "card first", "short hello", "long name" -> {}
                case "hello twice", "card before the proof", "data before the proof" -> stranger.hello();
                default -> stranger.greet();
            }
            switch (what) {
                case "hello twice", "hello after the proof" -> stranger.hello();
                case "card first", "card before the proof" -> stranger.card(Map.of());
                case "card malformed" -> stranger.send(FrameKind.CARD, 0, 0, 0, new byte[] {-1, -1, 0});
                case "card twice" -> {
                    stranger.card(Map.of("tcp", ""));
                    stranger.card(Map.of("tcp", ""));
                }
                case "data", "data before the proof" -> stranger.send(FrameKind.DATA, 0, 1, 0, new byte[10]);
                case "use" -> {
                    stranger.card(Map.of("tcp", ""));
                    stranger.propose(1, "tcp");
                    stranger.offer(1, 42, new byte[0]);
                    stranger.await(FrameKind.OPENED);
                    stranger.send(FrameKind.USE, 0, 0, 1, new byte[0]);
                }
                case "offer without card" -> {
                    stranger.offer(1, 42, new byte[0]);
                    stranger.propose(1, "tcp");
                }
                case "propose before card" -> stranger.propose(1, "tcp");
                case "attempt goes back" -> {
                    stranger.card(Map.of("tcp", ""));
                    stranger.propose(5, "tcp");
                    stranger.propose(5, "tcp");
                }
                case "probe of nobody" -> {
                    stranger.card(Map.of("tcp", ""));
                    stranger.propose(1, "tcp");
                    stranger.offer(1, 42, new byte[0]);
                    stranger.await(FrameKind.OPENED);
                    stranger.send(FrameKind.PROBE, 0, 0, 1, 4711, 1, new byte[0], new byte[0]);
                }
                case "giant" -> stranger.write(Stranger.head(Integer.MAX_VALUE, 3, 0));
                case "negative" -> stranger.write(Stranger.head(-8, 3, 0));
                case "unknown kind" -> stranger.write(Stranger.head(0, 99, 0));
                case "control longer than the frame" -> stranger.write(Stranger.head(8, 3, 16));
                case "short hello" ->
                    stranger.send(FrameKind.HELLO, 0, 0, 0, "WEIR\u0002".getBytes(StandardCharsets.US_ASCII));
                default -> {
                    byte[] hello = new byte[300];
                    System.arraycopy("WEIR\u0002".getBytes(StandardCharsets.US_ASCII), 0, hello, 0, 5);
                    hello[40] = -1;
                    hello[41] = -1;
                    stranger.send(FrameKind.HELLO, 0, 0, 0, hello);
                }
            }
            stranger.awaitEnd();
        }
        nodes.goesOn(node);
    }

    /**
     * What would be kept for each, or done for each frame, has a bound of its own, before the handshake's time is over.
     */
    @Test
    void moreThanAHandshakeNeeds(Nodes nodes) {
        Node node = nodes.start("node");
        Pair other = nodes.connect(nodes.start("other"), node);
        Map<String, String> ready = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            ready.put("path" + i, "x".repeat(2_000));
        }
        isRefused(node, stranger -> stranger.card(ready), "a CARD of 20");
        isRefused(
                node,
                stranger -> {
                    stranger.card(Map.of("tcp", ""));
                    for (int i = 1; i <= 65; i++) {
                        stranger.propose(i, "tcp");
                    }
                },
                "more than 64 paths");
        isRefused(node, stranger -> probe(stranger, 65, 0, 0), "more than 64 PROBEs");
        isRefused(
                node,
                stranger -> {
                    stranger.card(Map.of("tcp", ""));
                    stranger.propose(1, "tcp");
                    byte[] offer = stranger.await(FrameKind.OFFER).body();
                    stranger.offer(1, 42, new byte[0]);
                    stranger.await(FrameKind.OPENED);
                    long nonce = ByteBuffer.wrap(offer)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getLong();
                    probe(stranger, 17, 1, nonce);
                },
                "more than 16 PROBEs");
        other.settle();
        assertThat(node.connected()).hasSize(1);
    }

    private static void probe(Stranger stranger, int times, int attempt, long nonce) {
        for (int i = 1; i <= times; i++) {
            stranger.send(FrameKind.PROBE, 0, 0, attempt, nonce, i, new byte[0], new byte[0]);
        }
    }

    private static void isRefused(Node node, Consumer<Stranger> acting, String why) {
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.greet();
            acting.accept(stranger);
            assertThat(stranger.refusal().text()).contains(why);
            stranger.awaitEnd();
        }
    }

    /** What is not known but marked as optional is skipped. */
    @Test
    void unknownOptionalFramesAreSkipped(Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.hello();
            stranger.write(Stranger.head(0, 200, 0));
            stranger.prove();
            stranger.write(Stranger.head(0, 200, 0));
            stranger.card(Map.of("tcp", ""));
            stranger.propose(1, "tcp");
            assertThat(stranger.await(FrameKind.OFFER)).isNotNull();
        }
        nodes.goesOn(node);
    }

    /** A path that is not there, is switched off or has a senseless offer fails; another one may be proposed. */
    @Test
    void aPathThatIsNotReadyFailsAlone(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.handshakeTimeout(Patience.LIMIT));
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.greet();
            stranger.card(Map.of("tcp", "", "shm", "", "carrier pigeon", "white"));
            int attempt = 0;
            for (String path : new String[] {"carrier pigeon", "", "elan", "x".repeat(3_000)}) {
                stranger.propose(++attempt, path);
                assertThat(stranger.await(FrameKind.FAILED).aux()).isEqualTo(attempt);
            }
            stranger.propose(++attempt, "tcp");
            stranger.offer(attempt, 42, new byte[100]);
            assertThat(stranger.await(FrameKind.FAILED).aux()).isEqualTo(attempt);
            stranger.propose(++attempt, "tcp");
            stranger.offer(attempt, 42, new byte[0]);
            assertThat(stranger.await(FrameKind.OPENED).aux()).isEqualTo(attempt);
        }
        nodes.goesOn(node);
    }

    @Test
    void theNodeThatIsAWebServer(Nodes nodes) throws IOException {
        assertThat(connectingTo(
                        nodes,
                        Patience.LIMIT,
                        stranger -> stranger.write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII))))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("HTTP/1.1")
                .hasMessageContaining("127.0.0.1");
    }

    @Test
    void theNodeThatSaysNothing(Nodes nodes) throws IOException {
        assertThat(connectingTo(nodes, SOON, Stranger::awaitEnd))
                .isInstanceOf(TimedOut.class)
                .hasMessageContaining("127.0.0.1")
                .hasMessageContaining("weir.timeout.handshake");
    }

    @Test
    void theNodeThatHangsUp(Nodes nodes) throws IOException {
        assertThat(connectingTo(nodes, Patience.LIMIT, stranger -> {}))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("127.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void theNodeOfAnotherVersion(int major, Nodes nodes) throws IOException {
        assertThat(connectingTo(nodes, Patience.LIMIT, stranger -> {
                    stranger.hello(major, 0);
                    stranger.awaitEnd();
                }))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining(major + ".0")
                .hasMessageContaining("version");
    }

    @Test
    void theNodeThatRefuses(Nodes nodes) throws IOException {
        assertThat(connectingTo(nodes, Patience.LIMIT, stranger -> {
                    stranger.send(FrameKind.REFUSE, 0, 0, 0, "full\r\nup\u001b[2J".getBytes(StandardCharsets.UTF_8));
                    stranger.awaitEnd();
                }))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("full??up")
                .hasMessageNotContainingAny("\r", "\n", "\u001b");
    }

    /** Each PROBE would be answered, for nobody who reads. */
    @Test
    void theNodeThatProbesWithoutEnd(Nodes nodes) throws IOException {
        Node other = nodes.start("other");
        try (StrangersDoor door = new StrangersDoor(stranger -> {
            stranger.greet();
            probe(stranger, 10_000, 0, 0);
            stranger.awaitEnd();
        })) {
            Node node = nodes.start("node", spec -> spec.handshakeTimeout(Patience.LIMIT));
            Pair pair = nodes.connect(node, other);
            assertThat(catchThrowable(() -> node.connect(door.address()).block(Patience.LIMIT)))
                    .isInstanceOf(ProtocolMismatch.class)
                    .hasMessageContaining("127.0.0.1")
                    .hasMessageContaining("more than 64 PROBEs");
            pair.settle();
        }
    }

    /** REFUSE with this flag says that another connection is kept. There is none, so nothing is awaited. */
    @Test
    void crossedWithoutAnotherConnectionFailsAtOnce(Nodes nodes) throws IOException {
        Node other = nodes.start("other");
        try (StrangersDoor door = new StrangersDoor(StrangersTest::saysCrossed)) {
            Node node = nodes.start("node", spec -> spec.handshakeTimeout(Duration.ofMinutes(10)));
            Pair pair = nodes.connect(node, other);
            assertThat(catchThrowable(() -> node.connect(door.address()).block(Patience.LIMIT)))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageContaining("127.0.0.1")
                    .hasMessageContaining("there is none here");
            pair.settle();
        }
    }

    /** Somebody is at the door who has not proved yet who he is: that may be the other connection. */
    @Test
    void theConnectionThatIsKeptMayStillBeOnItsWay(Nodes nodes) throws IOException {
        Node node = nodes.start("node", spec -> spec.handshakeTimeout(SOON));
        try (Stranger greeting = Stranger.connect(node.address());
                StrangersDoor door = new StrangersDoor(StrangersTest::saysCrossed)) {
            greeting.hello();
            greeting.await(FrameKind.PROOF);
            assertThat(catchThrowable(() -> node.connect(door.address()).block(Patience.LIMIT)))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageContaining("was connecting to us at the same time");
        }
    }

    private static void saysCrossed(Stranger stranger) {
        stranger.greet();
        stranger.await(FrameKind.CARD);
        stranger.send(FrameKind.REFUSE, 1, 0, 0, "another one is kept".getBytes(StandardCharsets.UTF_8));
        stranger.awaitEnd();
    }

    /** What becomes of connecting to one who does this. */
    private static Throwable connectingTo(Nodes nodes, Duration limit, Consumer<Stranger> acting) throws IOException {
        try (StrangersDoor door = new StrangersDoor(acting)) {
            Node node = nodes.start("node", spec -> spec.handshakeTimeout(limit));
            return catchThrowable(() -> node.connect(door.address()).block(Patience.LIMIT));
        }
    }
}
