package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Repath;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two nodes, each with a device of its own: what their users have of the path. */
@ExtendWith(ResourceCheck.class)
class NodesOverVerbsInGuest {

    private static final Codec<String> TEXT = Codecs.text();
    private static final Duration LIMIT = Duration.ofSeconds(90);
    /** Enough for an emulated machine, and shorter than a session waits on its way to another path. */
    private static final Duration STEP = Duration.ofSeconds(15);

    @TempDir
    Path folder;

    private final List<Node> started = new ArrayList<>();

    private Repath repath = Repath.ALWAYS;

    private Node start(String name, String device, String... order) {
        NodeSpec spec = NodeSpec.builder()
                .name(name)
                .runtimeFolder(folder.resolve("run"))
                .order(order)
                .transportOption("verbs", "device", device)
                .connectTimeout(LIMIT)
                .handshakeTimeout(LIMIT)
                .stepTimeout(STEP)
                .headStart(LIMIT)
                .repath(repath)
                .repathProbation(Duration.ofMillis(100))
                .build();
        Node node = Objects.requireNonNull(Node.start(spec).block(LIMIT));
        started.add(node);
        return node;
    }

    private Peer connect(String... order) {
        Node far = start("far", "rxe1", order);
        far.answer("echo", message -> Mono.just(message));
        far.answer("text", TEXT, TEXT, Mono::just);
        far.stream(
                "numbers",
                TEXT,
                TEXT,
                count -> Flux.range(0, Integer.parseInt(count)).map(number -> Integer.toString(number)));
        return Objects.requireNonNull(
                start("near", "rxe0", order).connect(far.address()).block(LIMIT));
    }

    @AfterEach
    void close() {
        Collections.reverse(started);
        started.forEach(node -> node.close().block(LIMIT));
    }

    private static String path(Peer peer) {
        return peer.path().chosen().orElseThrow().path();
    }

    private static long sum(ByteBuf bytes) {
        CRC32 sum = new CRC32();
        sum.update(bytes.nioBuffer());
        return sum.getValue();
    }

    private static void echo(Peer peer, ByteBuf body) {
        int length = body.readableBytes();
        for (int at = 0; at + 8 <= length; at += 1024) {
            body.setLong(at, 31L * at + length);
        }
        long sum = sum(body);
        Message answer =
                Objects.requireNonNull(peer.ask("echo", Message.of(body)).block(LIMIT));
        try {
            assertThat(answer.payload().readableBytes()).isEqualTo(length);
            assertThat(sum(answer.payload())).isEqualTo(sum);
        } finally {
            answer.release();
        }
    }

    @Test
    void messagesOfEveryLengthComeBack() {
        Peer peer = connect("verbs");
        assertThat(path(peer)).isEqualTo("verbs");
        for (int length : new int[] {0, 1, 1000, 5000, 100_000, 1 << 20, 64 << 20}) {
            echo(peer, peer.allocator().buffer(length, Math.max(1, length)).writerIndex(length));
        }
        // Cut into frames and copied.
        echo(peer, Unpooled.buffer(1 << 20).writerIndex(1 << 20));
    }

    @Test
    void manyMessagesArriveInOrder() {
        Peer peer = connect("verbs");
        long[] next = {0};
        var unused = peer.stream("numbers", "20000", TEXT, TEXT)
                .doOnNext(number -> assertThat(number).isEqualTo(Long.toString(next[0]++)))
                .blockLast(LIMIT);
        assertThat(next[0]).isEqualTo(20_000);
    }

    /** Both directions are full when it happens; which of them is told first that it is lost is the device's affair. */
    @Test
    void streamsGoOnWhenAPortGoesDownAndClimbBack() throws IOException, InterruptedException {
        Peer peer = connect("verbs", "tcp");
        AtomicLong next = new AtomicLong();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Disposable stream = peer.stream("numbers", Integer.toString(Integer.MAX_VALUE), TEXT, TEXT)
                .limitRate(64)
                .subscribe(
                        number -> assertThat(number).isEqualTo(Long.toString(next.getAndIncrement())),
                        ended::completeExceptionally,
                        () -> ended.complete(null));
        goesOn(next, ended);
        long began = System.nanoTime();
        try (Plug plug = Plug.pull("rxe1")) {
            Patience.until(() -> "over tcp: " + peer.path(), () -> path(peer).equals("tcp"));
            goesOn(next, ended);
            System.out.printf("over tcp %d ms after the cable was pulled%n", (System.nanoTime() - began) / 1_000_000);
            echo(peer, Unpooled.buffer(100_000).writerIndex(100_000));
        }
        Patience.until(
                () -> "over verbs again: " + peer.path(), () -> path(peer).equals("verbs"));
        goesOn(next, ended);
        stream.dispose();
        assertThat(ended).isNotDone();
    }

    @Test
    void aSessionThatMayNotMoveEndsWithItsPort() throws IOException, InterruptedException {
        repath = Repath.OFF;
        Peer peer = connect("verbs", "tcp");
        AtomicLong next = new AtomicLong();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Disposable stream = peer.stream("numbers", Integer.toString(Integer.MAX_VALUE), TEXT, TEXT)
                .limitRate(64)
                .subscribe(number -> next.incrementAndGet(), ended::completeExceptionally, () -> ended.complete(null));
        goesOn(next, ended);
        try (Plug plug = Plug.pull("rxe1")) {
            Patience.until(() -> "an end of " + peer.path(), ended::isDone);
        }
        assertThat(stream.isDisposed()).isTrue();
        assertThatThrownBy(ended::join)
                .rootCause()
                .isInstanceOf(SessionLost.class)
                // The far side may be the first that is told, and ends it.
                .message()
                .containsAnyOf("the peer does not answer", "the other side closed it");
    }

    private static void goesOn(AtomicLong next, CompletableFuture<Void> ended)
            throws IOException, InterruptedException {
        long before = next.get();
        Patience.until(
                () -> "more than " + before + ", but " + ended, () -> ended.isDone() || next.get() > before + 200);
        assertThat(ended).isNotDone();
    }

    @Test
    void whyItCannotBeUsedIsSaid() throws IOException, InterruptedException {
        try (Plug plug = Plug.pull("rxe1")) {
            assertThatThrownBy(() -> connect("verbs"))
                    .isInstanceOf(WeirException.class)
                    .hasMessageContaining("rxe1")
                    .hasMessageContaining("ip link");
        }
    }
}
