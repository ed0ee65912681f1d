package io.weir.integration.path;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.core.ControlData;
import io.weir.core.FrameKind;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Stranger;
import io.weir.integration.StrangersDoor;
import io.weir.tck.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * A peer that is one, and then breaks the rules of a session: its connection ends, whoever used it hears why, and
 * others do not notice.
 */
@Tag("one-jdk")
class ForgedFramesTest implements OnRoute {

    private static final int REQUESTS = 1;
    private static final int REQUEST = 1;
    private static final byte[] NONE = {};

    /** What a peer may do wrongly when channel 1 is open to a port that never asks, with the initial window. */
    private static final Map<String, Consumer<Stranger>> FORGERIES = forgeries();

    private static Map<String, Consumer<Stranger>> forgeries() {
        Map<String, Consumer<Stranger>> all = new HashMap<>();
        all.put("more messages than credit", peer -> {
            for (int i = 0; i < 300; i++) {
                peer.send(FrameKind.DATA, 0, 1, 0, new byte[10]);
            }
        });
        all.put("more bytes than credit", peer -> {
            for (int i = 0; i < 100; i++) {
                peer.send(FrameKind.DATA, 0, 1, 0, new byte[60_000]);
            }
        });
        all.put("a channel that is not open", peer -> peer.send(FrameKind.DATA, 0, 77, 0, new byte[10]));
        all.put("a channel that only we may open", peer -> peer.send(FrameKind.DATA, 0, 2, 0, new byte[10]));
        all.put("channel 0", peer -> peer.send(FrameKind.DATA, 0, 0, 0, new byte[10]));
        all.put("a signal to a channel that never was", peer -> peer.send(FrameKind.END, 0, 99, 0, NONE));
        all.put("credit for a channel that never was", peer -> peer.send(FrameKind.CREDIT, 99, 1, 1));
        all.put("OPEN with a used number", peer -> peer.open(1, "sink", 0, 1, 1));
        all.put("OPEN with a number of ours", peer -> peer.open(4, "sink", 0, 1, 1));
        all.put("OPEN with number 0", peer -> peer.open(0, "sink", 0, 1, 1));
        all.put("OPEN that goes back", peer -> {
            peer.open(9, "nobody", 0, 1, 1);
            peer.open(7, "nobody", 0, 1, 1);
        });
        all.put("OPEN with a giant name", peer -> peer.open(3, "x".repeat(300), 0, 1, 1));
        all.put("OPEN with negative credit", peer -> peer.open(3, "sink", 0, -1, 1));
        all.put("OPEN with absurd credit", peer -> peer.open(3, "sink", 0, Long.MAX_VALUE, 1));
        all.put("negative credit", peer -> peer.send(FrameKind.CREDIT, 1, -1, 0));
        all.put("negative bytes of credit", peer -> peer.send(FrameKind.CREDIT, 1, 1, Long.MIN_VALUE));
        all.put("absurd credit", peer -> {
            peer.send(FrameKind.CREDIT, 1, Long.MAX_VALUE / 2, 1);
            peer.send(FrameKind.CREDIT, 1, Long.MAX_VALUE / 2, 1);
        });
        all.put("ACCEPT of what nobody opened", peer -> peer.send(FrameKind.ACCEPT, 1, 1, 1));
        all.put(
                "malformed control data",
                peer -> peer.send(FrameKind.DATA, 0, 1, 0, 0, 0, new byte[] {5, 'a', 0}, new byte[10]));
        all.put("malformed control data of a long message", peer -> {
            peer.send(FrameKind.FIRST, 0, 1, 0, 20, 0, new byte[] {5, 'a', 0}, new byte[10]);
            peer.send(FrameKind.NEXT, 0, 1, 0, new byte[10]);
        });
        all.put(
                "control data longer than allowed",
                peer -> peer.send(FrameKind.DATA, 0, 1, 0, 0, 0, control(ControlData.MAX_BYTES + 1), new byte[10]));
        all.put(
                "the whole frame beyond the longest",
                peer -> peer.write(Stranger.head(65_537, FrameKind.DATA.code(), 0)));
        all.put("PROOF in a session", peer -> peer.send(FrameKind.PROOF, 0, 0, 0, new byte[32]));
        all.put("FIRST with a negative total", peer -> first(peer, -5, 10));
        all.put("FIRST with nothing", peer -> first(peer, 0, 10));
        all.put("FIRST with an absurd total", peer -> first(peer, Long.MAX_VALUE, 10));
        all.put("FIRST beyond the credit", peer -> first(peer, 32 << 20, 10));
        all.put("FIRST with more than its total", peer -> first(peer, 5, 10));
        all.put("FIRST within another", peer -> {
            first(peer, 100, 10);
            first(peer, 100, 10);
        });
        all.put("DATA within a long message", peer -> {
            first(peer, 100, 10);
            peer.send(FrameKind.DATA, 0, 1, 0, new byte[10]);
        });
        all.put("NEXT without FIRST", peer -> peer.send(FrameKind.NEXT, 0, 1, 0, new byte[10]));
        all.put("NEXT beyond the total", peer -> {
            first(peer, 20, 10);
            peer.send(FrameKind.NEXT, 0, 1, 0, new byte[11]);
        });
        all.put("NEXT with nothing", peer -> {
            first(peer, 20, 10);
            peer.send(FrameKind.NEXT, 0, 1, 0, NONE);
        });
        all.put("END within a long message", peer -> {
            first(peer, 20, 10);
            peer.send(FrameKind.END, 0, 1, 0, NONE);
        });
        all.put("END twice", peer -> {
            peer.send(FrameKind.END, 0, 1, 0, NONE);
            peer.send(FrameKind.END, 0, 1, 0, NONE);
        });
        all.put("DATA after END", peer -> {
            peer.send(FrameKind.END, 0, 1, 0, NONE);
            peer.send(FrameKind.DATA, 0, 1, 0, new byte[10]);
        });
        all.put("DATA after ERROR", peer -> {
            peer.send(FrameKind.ERROR, 0, 1, 1, "sorry".getBytes(UTF_8));
            peer.send(FrameKind.DATA, 0, 1, 0, new byte[10]);
        });
        all.put("WANT of a negative length", peer -> peer.send(FrameKind.WANT, 1, -1, 0));
        all.put("HELLO again", Stranger::hello);
        all.put("PROOF again", peer -> peer.say(new byte[Stranger.THIRD_MESSAGE]));
        all.put("a card again", peer -> peer.card(Map.of()));
        all.put("USE again", peer -> peer.send(FrameKind.USE, 0, 0, 1, NONE));
        all.put("a wish of who leads", peer -> peer.propose(0, "tcp"));
        all.put("a report of who leads", peer -> peer.send(FrameKind.PROPOSE, 1, 0, 0, "tcp gone".getBytes(UTF_8)));
        all.put("what answers no wish", peer -> peer.send(FrameKind.OPENED, 0, 0, 0, NONE));
        all.put("what refuses no wish", peer -> peer.send(FrameKind.FAILED, 0, 0, 0, NONE));
        all.put("PROBE in a session", peer -> peer.send(FrameKind.PROBE, 0, 1, 1));
        all.put("an ACK of more than was sent", peer -> peer.send(FrameKind.ACK, 0, 1L << 40, 0));
        all.put("an unknown kind", peer -> peer.write(Stranger.head(0, 99, 0)));
        all.put("a giant", peer -> peer.write(Stranger.head(Integer.MAX_VALUE, FrameKind.DATA.code(), 0)));
        all.put("a negative length", peer -> peer.write(Stranger.head(-1, FrameKind.DATA.code(), 0)));
        return all;
    }

    static List<String> names() {
        return FORGERIES.keySet().stream().sorted().toList();
    }

    @ParameterizedTest
    @MethodSource("names")
    void endsTheSession(String what, Nodes nodes) {
        Node node = nodes.start("node");
        Probe<Message> received = Probe.releasing(0);
        CountDownLatch served = new CountDownLatch(1);
        Probe<Void> answering = Probe.end();
        var sink = node.serve("sink", channel -> {
            channel.receive().subscribe(received);
            channel.send(Flux.never()).subscribe(answering);
            served.countDown();
            return Mono.never();
        });

        try (LogLines log = LogLines.everything();
                Stranger peer = Stranger.inSession(node.address())) {
            peer.open(1, "sink", 0, 10, 10_000);
            Patience.await("the channel is served", served);
            FORGERIES.get(what).accept(peer);
            peer.awaitEnd();
            log.await(Level.WARN, "A session is ended here: ", "stranger");
        }

        // What the peer did in good order before counts; everything else ends with the reason.
        received.awaitEnd().check();
        Throwable reason = received.error() == null ? answering.awaitError() : received.error();
        answering.awaitEnd().check();
        if (!what.equals("DATA after ERROR") && !what.equals("END within a long message")) {
            assertThat(reason).isInstanceOf(ProtocolMismatch.class).hasMessageContaining("stranger");
        }
        nodes.goesOn(node);
    }

    /** Who follows may wish and report what it likes: it hears no, or nothing, and the node goes on. */
    @Test
    void wishesOfWhoFollows(Nodes nodes) throws IOException {
        Node node = nodes.start("node");
        try (StrangersDoor door = new StrangersDoor(peer -> {
            peer.join();
            List<String> texts = List.of("", " ", "tcp", "tcp gone", "shm \r\n\u001b[2J", "x".repeat(60_000));
            for (int flags = 0; flags < 16; flags++) {
                for (String text : texts) {
                    peer.send(FrameKind.PROPOSE, flags, 0, 0, text.getBytes(UTF_8));
                }
            }
            // One for each that is a wish and no report.
            for (int answers = 4 * texts.size(); answers > 0; ) {
                Stranger.Arrived frame = Objects.requireNonNull(peer.read());
                if (frame.kind() == FrameKind.FAILED || frame.kind() == FrameKind.OPENED) {
                    assertThat(frame.aux()).isZero();
                    assertThat(frame.text()).doesNotContain("\r", "\n", "\u001b");
                    answers--;
                }
            }
            assertThat(node.connected()).hasSize(1);
            peer.propose(1, "tcp");
            peer.awaitEnd();
        })) {
            StepVerifier.create(node.connect(door.address()))
                    .expectNextCount(1)
                    .expectComplete()
                    .verify(Patience.LIMIT);
        }
        Patience.until("nobody is connected", () -> node.connected().isEmpty());
        nodes.goesOn(node);
    }

    /** All frames of a valid form with random content: nothing crashes, hangs or stays. */
    @Test
    void nonsense(Nodes nodes) {
        Node node = nodes.start("node");
        var sink = node.serve("sink", channel -> channel.send(channel.receive()));
        var answer = node.answer("answer", Mono::just);
        SplittableRandom random = Seed.random("nonsense");
        FrameKind[] kinds = FrameKind.values();
        long[] words = {0, 1, -1, 16, 255, 1 << 20, Long.MAX_VALUE, Long.MIN_VALUE};
        for (int round = 0; round < 150; round++) {
            try (Stranger peer = Stranger.inSession(node.address())) {
                peer.open(1, "sink", 0, 1_000, 100_000);
                peer.open(3, "answer", REQUESTS, 1_000, 100_000);
                for (int i = 0; i < 30; i++) {
                    byte[] body = new byte[random.nextInt(4) == 0 ? random.nextInt(3_000) : 0];
                    byte[] control = new byte[random.nextInt(8) == 0 ? random.nextInt(1, 8) : 0];
                    random.nextBytes(body);
                    peer.send(
                            kinds[random.nextInt(kinds.length)],
                            random.nextInt(16),
                            random.nextInt(8),
                            random.nextInt(3),
                            words[random.nextInt(words.length)],
                            words[random.nextInt(words.length)],
                            control,
                            body);
                }
                if (round % 5 == 0) {
                    peer.send(FrameKind.NEXT, 0, 1_001, 0, NONE);
                    peer.awaitEnd();
                }
            }
        }
        nodes.goesOn(node);
    }

    /** Whoever opens channels and never ends them is stopped. */
    @Test
    void channelsWithoutEnd(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.maxChannels(16));
        try (Stranger peer = Stranger.inSession(node.address())) {
            for (int i = 0; i < 1_000; i++) {
                peer.open(2 * i + 1, "nobody", 0, 1, 1);
            }
            peer.awaitEnd();
        }
        nodes.goesOn(node);
    }

    /** A peer that asks and does not take its answers is served as many requests as a window has, and no more. */
    @Test
    void answersThatNobodyTakes(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.windowItems(32));
        AtomicInteger asked = new AtomicInteger();
        var answer = node.answer("answer", message -> {
            asked.incrementAndGet();
            return Mono.just(message);
        });
        try (Stranger peer = Stranger.inSession(node.address())) {
            peer.open(1, "answer", REQUESTS, 0, 0);
            long credit = peer.await(FrameKind.ACCEPT).first();
            int sent = 0;
            // Each request that is taken may bring credit for another; a message to nobody shows that all was handled.
            for (int round = 0; round < 10; round++) {
                for (; credit > 0; credit--) {
                    peer.send(FrameKind.DATA, REQUEST, 1, ++sent, new byte[100]);
                }
                peer.open(2 * round + 3, "nobody", 0, 0, 0);
                for (Stranger.Arrived frame; (frame = peer.read()) != null && frame.kind() != FrameKind.ERROR; ) {
                    if (frame.kind() == FrameKind.CREDIT && frame.channel() == 1) {
                        credit += frame.first();
                    }
                }
            }
            assertThat(sent).isLessThanOrEqualTo(2 * 32);
            assertThat(asked).hasValueLessThanOrEqualTo(2 * 32);
        }
        nodes.goesOn(node);
    }

    /**
     * Announced and never sent: the node lends what it has, to one, and goes on with everything that fits its window.
     */
    @Test
    void longMessagesThatAreAnnouncedAndDoNotCome(Nodes nodes) {
        int longest = 1 << 20;
        Node node = nodes.start(
                "node", spec -> spec.windowBytes(64 << 10).maxMessage(longest).nodeBytes(longest));
        var sink = node.serve(
                "sink", channel -> channel.receive().doOnNext(Message::release).then());
        try (Stranger peer = Stranger.inSession(node.address())) {
            for (int channel : new int[] {1, 3}) {
                peer.open(channel, "sink", 0, 10, 10_000);
                assertThat(peer.await(FrameKind.ACCEPT).channel()).isEqualTo(channel);
            }
            peer.send(FrameKind.WANT, 1, longest, 0);
            peer.send(FrameKind.WANT, 3, longest, 0);
            assertThat(lent(peer)).isEqualTo(1);
            peer.open(5, "nobody", 0, 1, 1);
            for (Stranger.Arrived frame; (frame = peer.read()) != null && frame.kind() != FrameKind.ERROR; ) {
                assertThat(isLoan(frame)).isFalse();
            }
            Pair beside = nodes.connect(nodes.start("beside"), node);
            beside.settle();
            beside.peer().close().block(Patience.LIMIT);
            peer.send(FrameKind.ERROR, 0, 1, 1, NONE);
            assertThat(lent(peer)).isEqualTo(3);
        }
        nodes.goesOn(node);
    }

    private static boolean isLoan(Stranger.Arrived frame) {
        return frame.kind() == FrameKind.CREDIT && frame.second() > 64 << 10;
    }

    /** The channel that gets more than its window. */
    private static int lent(Stranger peer) {
        for (Stranger.Arrived frame; (frame = peer.read()) != null; ) {
            if (isLoan(frame)) {
                return frame.channel();
            }
        }
        throw new AssertionError("the connection ended before anything was lent");
    }

    /** Late frames about a channel that has ended are no crime. */
    @Test
    void lateFramesArePassedOver(Nodes nodes) {
        Node node = nodes.start("node");
        var sink = node.serve("sink", channel -> Mono.empty());
        try (Stranger peer = Stranger.inSession(node.address())) {
            peer.open(1, "sink", 0, 10, 10_000);
            peer.await(FrameKind.END);
            // The handler has gone: what comes in is dropped, whatever its kind.
            peer.send(FrameKind.DATA, 0, 1, 0, new byte[10]);
            first(peer, 20, 10);
            peer.send(FrameKind.NEXT, 0, 1, 0, new byte[10]);
            peer.send(FrameKind.WANT, 1, 5 << 20, 0);
            peer.send(FrameKind.END, 0, 1, 0, NONE);
            peer.send(FrameKind.CREDIT, 1, 1, 1);
            peer.send(FrameKind.CANCEL, 0, 1, 0, NONE);
            peer.send(FrameKind.ABORT, 0, 1, 17, NONE);
            peer.send(FrameKind.DELIVERED, 0, 1, 0, NONE);
            peer.open(3, "sink", 0, 10, 10_000);
            assertThat(peer.await(FrameKind.ACCEPT).channel()).isEqualTo(3);
        }
        nodes.goesOn(node);
    }

    /** Who fails a channel is not to blame for what was under way. */
    @Test
    void framesThatCrossAnErrorAreNoCrime(Nodes nodes) {
        Node node = nodes.start("node");
        var sink = node.serve(
                "sink",
                channel -> channel.receive()
                        .doOnNext(message -> {
                            message.release();
                            throw new IllegalStateException("enough");
                        })
                        .then());
        try (Stranger peer = Stranger.inSession(node.address())) {
            peer.open(1, "sink", 0, 10, 10_000);
            peer.await(FrameKind.ACCEPT);
            peer.send(FrameKind.DATA, 0, 1, 0, new byte[10]);
            assertThat(peer.await(FrameKind.ERROR).text()).contains("enough");
            for (int i = 0; i < 10; i++) {
                peer.send(FrameKind.DATA, 0, 1, 0, new byte[10]);
            }
            first(peer, 20, 10);
            peer.send(FrameKind.NEXT, 0, 1, 0, new byte[10]);
            peer.send(FrameKind.END, 0, 1, 0, NONE);
            peer.open(3, "sink", 0, 10, 10_000);
            assertThat(peer.await(FrameKind.ACCEPT).channel()).isEqualTo(3);
        }
        nodes.goesOn(node);
    }

    /** Texts of a peer reach logs and messages: they can't break lines or move cursors there, nor be without end. */
    @Test
    void whatAPeerSaysIsMadeHarmless(Nodes nodes) {
        Node node = nodes.start("node");
        List<Channel> opened = new ArrayList<>();
        Probe<Message> received = Probe.releasing(0);
        CountDownLatch served = new CountDownLatch(1);
        var sink = node.serve("sink", channel -> {
            channel.receive().subscribe(received);
            opened.add(channel);
            served.countDown();
            return Mono.never();
        });
        try (Stranger peer = Stranger.inSession(node.address())) {
            peer.open(1, "sink", 0, 10, 10_000);
            Patience.await("the channel is served", served);
            String text = "a\r\nb\u001b[2J" + "x".repeat(40_000);
            peer.send(FrameKind.ERROR, 0, 1, 1, text.getBytes(UTF_8));
            assertThat(received.awaitError().getMessage())
                    .contains("a??b?[2J")
                    .doesNotContain("\r", "\n", "\u001b")
                    .hasSizeLessThan(6_000);
        }
        assertThat(opened).hasSize(1);
    }

    /** One entry, of so many bytes. */
    private static byte[] control(int length) {
        byte[] entry = new byte[length];
        entry[0] = 1;
        entry[1] = 'k';
        entry[2] = (byte) (length - 4);
        entry[3] = (byte) (length - 4 >>> 8);
        return entry;
    }

    private static void first(Stranger peer, long total, int bytes) {
        peer.send(FrameKind.FIRST, 0, 1, 0, total, 0, NONE, new byte[bytes]);
    }
}
