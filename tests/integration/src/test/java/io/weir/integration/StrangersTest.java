package io.weir.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.core.FrameKind;
import io.weir.core.Message;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.TimedOut;
import io.weir.core.WeirException;
import io.weir.tck.Seed;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Somebody on the port who is no peer, and peers that turn out to be something else: said clearly, and life goes on. */
class StrangersTest implements OnRoute {

    private static final Duration SOON = Duration.ofMillis(300);

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

        goesOn(nodes, node);
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
        goesOn(nodes, node);
    }

    @Test
    void whoSaysNothingIsNotAwaitedForEver(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.handshakeTimeout(SOON));
        try (Stranger silent = Stranger.connect(node.address());
                Stranger halfway = Stranger.connect(node.address());
                Stranger slow = Stranger.connect(node.address())) {
            halfway.write(new byte[] {40, 0, 0, 0, 1});
            slow.hello(1, 0);
            slow.card(Map.of("tcp", ""));
            silent.awaitEnd();
            halfway.awaitEnd();
            slow.awaitEnd();
        }
        goesOn(nodes, node);
    }

    @Test
    void anotherMajorVersionIsRefused(Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.hello(9, 3);
            Stranger.Arrived refusal = refusal(stranger);
            assertThat(refusal.text()).contains("9.3").contains("version");
            stranger.awaitEnd();
        }
        goesOn(nodes, node);
    }

    @Test
    void anotherMinorVersionIsWelcome(Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.hello(1, 200);
            assertThat(stranger.await(FrameKind.CARD)).isNotNull();
        }
        goesOn(nodes, node);
    }

    /** Everything that can be said wrongly before a session begins. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello twice",
                "card first",
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
            if (!what.equals("card first") && !what.equals("short hello") && !what.equals("long name")) {
                stranger.hello(1, 0);
            }
            switch (what) {
                case "hello twice" -> stranger.hello(1, 0);
                case "card first" -> stranger.card(Map.of());
                case "card malformed" -> stranger.send(FrameKind.CARD, 0, 0, 0, new byte[] {-1, -1, 0});
                case "card twice" -> {
                    stranger.card(Map.of("tcp", ""));
                    stranger.card(Map.of("tcp", ""));
                }
                case "data" -> stranger.send(FrameKind.DATA, 0, 1, 0, new byte[10]);
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
                case "giant" -> stranger.write(head(Integer.MAX_VALUE, 3, 0));
                case "negative" -> stranger.write(head(-8, 3, 0));
                case "unknown kind" -> stranger.write(head(0, 99, 0));
                case "control longer than the frame" -> stranger.write(head(8, 3, 16));
                case "short hello" ->
                    stranger.send(FrameKind.HELLO, 0, 0, 0, "WEIR\u0001".getBytes(StandardCharsets.US_ASCII));
                default -> {
                    byte[] hello = new byte[300];
                    System.arraycopy("WEIR\u0001".getBytes(StandardCharsets.US_ASCII), 0, hello, 0, 5);
                    hello[40] = -1;
                    hello[41] = -1;
                    stranger.send(FrameKind.HELLO, 0, 0, 0, hello);
                }
            }
            stranger.awaitEnd();
        }
        goesOn(nodes, node);
    }

    /** What is not known but marked as optional is skipped. */
    @Test
    void unknownOptionalFramesAreSkipped(Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.hello(1, 0);
            stranger.write(head(0, 200, 0));
            stranger.card(Map.of("tcp", ""));
            stranger.propose(1, "tcp");
            assertThat(stranger.await(FrameKind.OFFER)).isNotNull();
        }
        goesOn(nodes, node);
    }

    /** A path that is not there, is switched off or has a senseless offer fails; another one may be proposed. */
    @Test
    void aPathThatIsNotReadyFailsAlone(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.handshakeTimeout(Patience.LIMIT));
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.hello(1, 0);
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
        goesOn(nodes, node);
    }

    @Test
    void theNodeThatIsAWebServer(Nodes nodes) throws IOException {
        assertThat(connectingTo(
                        nodes,
                        out -> out.write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII))))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("HTTP/1.1")
                .hasMessageContaining("127.0.0.1");
    }

    @Test
    void theNodeThatSaysNothing(Nodes nodes) throws IOException {
        assertThat(connectingTo(nodes, null))
                .isInstanceOf(TimedOut.class)
                .hasMessageContaining("127.0.0.1")
                .hasMessageContaining("weir.timeout.handshake");
    }

    @Test
    void theNodeThatHangsUp(Nodes nodes) throws IOException {
        assertThat(connectingTo(nodes, out -> {}))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("127.0.0.1");
    }

    @Test
    void theNodeOfAnotherVersion(Nodes nodes) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread accepting = new Thread(() -> {
                try (Stranger stranger = Stranger.of(server.accept())) {
                    stranger.hello(2, 0);
                    stranger.awaitEnd();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            accepting.start();
            Node node = nodes.start("node");
            StepVerifier.create(node.connect("127.0.0.1:" + server.getLocalPort()))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(ProtocolMismatch.class)
                            .hasMessageContaining("2.0")
                            .hasMessageContaining("version"))
                    .verify(Patience.LIMIT);
        }
    }

    @Test
    void theNodeThatRefuses(Nodes nodes) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread accepting = new Thread(() -> {
                try (Stranger stranger = Stranger.of(server.accept())) {
                    stranger.send(FrameKind.REFUSE, 0, 0, 0, "full\r\nup\u001b[2J".getBytes(StandardCharsets.UTF_8));
                    stranger.awaitEnd();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            accepting.start();
            Node node = nodes.start("node");
            StepVerifier.create(node.connect("127.0.0.1:" + server.getLocalPort()))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(Refused.class)
                            .hasMessageContaining("full??up")
                            .hasMessageNotContainingAny("\r", "\n", "\u001b"))
                    .verify(Patience.LIMIT);
        }
    }

    private interface Answer {
        void to(OutputStream out) throws IOException;
    }

    /** What becomes of connecting to a server that answers so; null: not at all. */
    private static WeirException connectingTo(Nodes nodes, @org.jspecify.annotations.Nullable Answer answer)
            throws IOException {
        AtomicReference<WeirException> failure = new AtomicReference<>();
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread serving = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    if (answer != null) {
                        answer.to(socket.getOutputStream());
                        return;
                    }
                    while (socket.getInputStream().read() >= 0) {
                        // It listens, that is all.
                    }
                } catch (IOException e) {
                    // The node has closed first.
                }
            });
            serving.start();
            Node node = nodes.start("node", spec -> spec.handshakeTimeout(answer == null ? SOON : Patience.LIMIT));
            StepVerifier.create(node.connect("127.0.0.1:" + server.getLocalPort()))
                    .consumeErrorWith(error -> failure.set((WeirException) error))
                    .verify(Patience.LIMIT);
        }
        return failure.get();
    }

    private static byte[] head(int length, int kind, int control) {
        byte[] head = new byte[16];
        for (int i = 0; i < 4; i++) {
            head[i] = (byte) (length >>> 8 * i);
        }
        head[4] = (byte) kind;
        head[6] = (byte) control;
        return head;
    }

    private static Stranger.Arrived refusal(Stranger stranger) {
        for (Stranger.Arrived frame; (frame = stranger.read()) != null; ) {
            if (frame.kind() == FrameKind.REFUSE) {
                return frame;
            }
        }
        throw new AssertionError("the connection ended without a word");
    }

    /** The node serves others as ever, and knows nobody else. */
    private static void goesOn(Nodes nodes, Node node) {
        var echo = node.answer("echo", Mono::just);
        Node other = nodes.start("other");
        StepVerifier.create(other.connect(node.address())
                        .flatMap(peer -> peer.ask("echo", Message.of("?")))
                        .map(message -> {
                            String text = message.text();
                            message.release();
                            return text;
                        }))
                .expectNext("?")
                .expectComplete()
                .verify(Patience.LIMIT);
        Patience.until(
                () -> "nobody else is there: " + node.connected(),
                () -> node.connected().size() == 1);
    }
}
