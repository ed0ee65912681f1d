package io.weir.samples.manual;

import static io.weir.samples.manual.Nodes.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.RemoteFailure;
import io.weir.samples.manual.Invoices.Invoice;
import io.weir.samples.manual.Invoices.Order;
import io.weir.samples.manual.Ticks.Tick;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.function.Tuple2;

/** Every program of the manual does what the manual says. */
class ManualTest {

    /** What the code prints. */
    private static String printed(Runnable code) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            code.run();
        } finally {
            System.setOut(before);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void quickstart() {
        assertThat(printed(() -> Quickstart.main(new String[0])))
                .contains("over local")
                .containsSubsequence("ONE\n", "TWO\n", "THREE\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void requestAndResponse(String path) {
        try (Nodes nodes = Nodes.over(path)) {
            Greeting.serve(nodes.server());
            assertThat(Greeting.ask(nodes.peer(), "Ada").block(LIMIT)).isEqualTo("Hello, Ada!");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void theSourceIsAskedForNoMoreThanTheReceiverTakes(String path) {
        try (Nodes nodes = Nodes.over(path)) {
            Readings readings = new Readings();
            readings.serve(nodes.server());
            StepVerifier.create(readings.store(nodes.peer()).take(1000))
                    .expectNext("reading 1", "reading 2")
                    .expectNextCount(998)
                    .expectComplete()
                    .verify(LIMIT);
            // What was taken, the window that may travel ahead, and the batch that was asked for.
            long ahead = nodes.server().spec().windows().items() + 64;
            assertThat(readings.made()).isBetween(1000L, 1000L + ahead);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void valuesWithoutMessages(String path) {
        Tick first = new Tick(1, 2, 3.5, 4);
        Tick second = new Tick(5, 6, -7.25, 8);
        try (Nodes nodes = Nodes.over(path)) {
            Disposable unused = Ticks.serve(nodes.server(), Flux.just(first, second));
            StepVerifier.create(nodes.peer().channel("ticks").flatMapMany(Ticks::read))
                    .expectNext(first, second)
                    .expectComplete()
                    .verify(LIMIT);
        }
    }

    /** As the manual says. */
    @Test
    void aRecordHasTheLayoutThatTheManualWritesOut() {
        Tick tick = new Tick(1, 2, 3.5, 4);
        ByteBuf written = Tick.CODEC.encode(tick, UnpooledByteBufAllocator.DEFAULT);
        ByteBuf derived = Codecs.record(Tick.class).encode(tick, UnpooledByteBufAllocator.DEFAULT);
        assertThat(derived).isEqualTo(written);
        written.release();
        derived.release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void stream(String path) {
        try (Nodes nodes = Nodes.over(path)) {
            Readings readings = new Readings();
            readings.serveOnRequest(nodes.server());
            StepVerifier.create(readings.history(nodes.peer(), 3))
                    .expectNext("day 1", "day 2", "day 3")
                    .expectComplete()
                    .verify(LIMIT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void stage(String path) {
        try (Nodes nodes = Nodes.over(path)) {
            Invoices.serve(nodes.server());
            StepVerifier.create(Invoices.bill(nodes.peer(), Flux.just(new Order("tea", 2), new Order("jam", 1))))
                    .expectNext(new Invoice("tea", 500), new Invoice("jam", 250))
                    .expectComplete()
                    .verify(LIMIT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void anErrorOfTheStageArrivesWithItsMessage(String path) {
        try (Nodes nodes = Nodes.over(path)) {
            Invoices.serve(nodes.server());
            StepVerifier.create(Invoices.bill(nodes.peer(), Flux.just(new Order("tea", 0))))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(RemoteFailure.class)
                            .hasMessageContaining("an order of 0 tea"))
                    .verify(LIMIT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void slowWorkBehindPublishOn(String path) {
        Scheduler workers = Schedulers.newSingle("workers");
        try (Nodes nodes = Nodes.over(path)) {
            Thumbnails.serve(nodes.server(), workers);
            Thumbnails.serveWithoutCopy(nodes.server(), workers);
            Flux<byte[]> pictures = Flux.range(1, 100).map(byte[]::new);
            StepVerifier.create(pictures.transform(nodes.peer().stage("thumbnails", Codecs.bytes(), Codecs.bytes()))
                            .map(small -> small.length)
                            .reduce(Integer::sum))
                    .expectNext(2550)
                    .expectComplete()
                    .verify(LIMIT);
            StepVerifier.create(pictures.transform(nodes.peer().stage("sizes", Codecs.bytes(), Codecs.text()))
                            .map(Integer::parseInt)
                            .reduce(Integer::sum))
                    .expectNext(5050)
                    .expectComplete()
                    .verify(LIMIT);
        } finally {
            workers.dispose();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void mailbox(String path) {
        try (Nodes nodes = Nodes.over(path)) {
            Disposable serving = Inbox.serve(nodes.server());
            nodes.peer().tell("orders", Message.of("no hurry")).block(LIMIT);
            Message answer = Inbox.order(nodes.peer(), "tea").block(LIMIT);
            assertThat(answer.text()).isEqualTo("at once: tea");
            answer.release();
            serving.dispose();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void largePayloads(String path) {
        try (Nodes nodes = Nodes.over(path)) {
            Frames.serve(nodes.server());
            StepVerifier.create(nodes.peer()
                            .channel("frames")
                            .flatMapMany(channel -> channel.receive(Codecs.bytes()))
                            .take(100)
                            .map(frame -> ByteBuffer.wrap(frame).getLong(frame.length - Long.BYTES))
                            .distinct())
                    .expectNext((long) Frames.SIZE)
                    .expectComplete()
                    .verify(LIMIT);
        }
    }

    @Test
    void clock() {
        Node server = Clock.server("tcp://127.0.0.1:0").block(LIMIT);
        try {
            assertThat(printed(() -> StepVerifier.create(
                                    Clock.client(server.address().toString()).map(Instant::parse), 2)
                            .expectNextCount(2)
                            .thenCancel()
                            .verify(LIMIT)))
                    .contains("over local");
        } finally {
            server.close().block(LIMIT);
        }
    }

    @Test
    void retrying() {
        Node client = Node.start(NodeSpec.builder().build()).block(LIMIT);
        Node former = Node.start(NodeSpec.builder().build()).block(LIMIT);
        PeerAddress address = former.address();
        former.close().block(LIMIT);
        AtomicReference<Node> later = new AtomicReference<>(client);
        try {
            Peer peer = Mono.zip(
                            Retrying.connect(client, address.toString()),
                            Node.start(NodeSpec.builder()
                                            .listen(address.toString())
                                            .build())
                                    .doOnNext(later::set))
                    .map(Tuple2::getT1)
                    .block(LIMIT);
            assertThat(peer.id()).isEqualTo(later.get().id());
            StepVerifier.create(Retrying.connect(client, "nonsense"))
                    .expectError(Misconfigured.class)
                    .verify(LIMIT);
        } finally {
            client.close().block(LIMIT);
            later.get().close().block(LIMIT);
        }
    }

    @Test
    void repeating() {
        Codec<String> text = Codecs.text();
        Codec<Long> number = Codecs.json(Long.class);
        Node ledger = Node.start(NodeSpec.builder().build()).block(LIMIT);
        Node client = Node.start(NodeSpec.builder()
                        .peer("ledger", ledger.address().toString())
                        .build())
                .block(LIMIT);
        try {
            AtomicLong sum = new AtomicLong();
            ledger.answer("book", text, number, entry -> Mono.just(sum.addAndGet(Long.parseLong(entry))));
            ledger.answer("balance", text, number, account -> Mono.just(sum.get()));
            assertThat(Retrying.bookAndRead(client, "petty cash", "7").block(LIMIT))
                    .isEqualTo(7);
        } finally {
            client.close().block(LIMIT);
            ledger.close().block(LIMIT);
        }
    }

    @Test
    void settings(@TempDir Path folder) throws IOException {
        NodeSpec spec = Settings.inCode();
        assertThat(spec.paths().order()).containsExactly("shm", "verbs", "tcp");
        assertThat(spec.pathsToPeer("any").of("verbs")).isEqualTo(PathSwitch.OFF);
        Path file = Files.writeString(folder.resolve("weir.properties"), "weir.window.items = 7");
        assertThat(Settings.fromFile(file).windows().items()).isEqualTo(7);
    }

    @Test
    void testsOfUsers() {
        Rehearsals rehearsals = new Rehearsals();
        assertThat(rehearsals.talk()).isEqualTo("5 for a pound");
        assertThat(rehearsals.cut()).isEqualTo("5 for a pound");
        assertThat(rehearsals.kill()).isEqualTo("5 for a pound");
    }
}
