package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.channel.Node;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.ProtocolMismatch;
import io.weir.core.RemoteFailure;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.memory.MemoryUse;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Values that take their codec as long as their sender likes, at a node with one loop for all, which others use as
 * well.
 */
class LongValuesTest implements OnRoute {

    private static final Codec<String> TEXT = Codecs.text();
    private static final String LONG = "x".repeat(100_000);
    private static final String FATAL = "z".repeat(100_000);
    private static final String BROKEN = "y".repeat(100_000);

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Queue<String> readers = new ConcurrentLinkedQueue<>();

    /** Of values that are long, waits until it may go on. */
    private final Codec<String> slow = new Codec<>() {
        @Override
        public ByteBuf encode(String value, ByteBufAllocator allocator) {
            return TEXT.encode(value, allocator);
        }

        @Override
        public String decode(ByteBuf payload) {
            String value = TEXT.decode(payload);
            if (value.length() < 1000) {
                return value;
            }
            readers.add(Thread.currentThread().getName());
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            if (value.equals(FATAL)) {
                throw new NoClassDefFoundError("made/Up");
            }
            if (value.equals(BROKEN)) {
                throw new ProtocolMismatch("broken");
            }
            return value;
        }
    };

    private Pair pair;
    private Pair benign;

    @BeforeEach
    void connect(Nodes nodes) {
        Node far = nodes.start(route().spec("far").loops(1).build());
        var unused = far.answer("echo", Mono::just);
        pair = nodes.connect(nodes.start(route().spec("near").build()), far);
        benign = nodes.connect(nodes.start(route().spec("benign").build()), far);
    }

    @AfterEach
    void letGo() {
        goOn.countDown();
    }

    private void othersAreServed() throws InterruptedException {
        begun.await();
        assertThat(benign.peer().ask("echo", "here", TEXT, TEXT).block(Patience.LIMIT))
                .isEqualTo("here");
        assertThat(readers).noneMatch(name -> name.startsWith("weir-far"));
    }

    private Mono<Void> send(Flux<String> values) {
        return pair.peer().channel("sink").flatMap(channel -> channel.send(values, TEXT));
    }

    @Test
    void aStreamKeepsItsOrder() throws InterruptedException {
        List<String> sent = List.of("1", LONG, "2", LONG, LONG, "3");
        BlockingQueue<List<String>> got = new LinkedBlockingQueue<>();
        Queue<String> threads = new ConcurrentLinkedQueue<>();
        Disposable serving = pair.far()
                .serve(
                        "sink",
                        channel -> channel.receive(slow)
                                .doOnNext(each ->
                                        threads.add(Thread.currentThread().getName()))
                                .collectList()
                                .doOnNext(got::add)
                                .then());
        var sending = send(Flux.fromIterable(sent)).toFuture();
        othersAreServed();
        assertThat(pair.far().memory().uses().get(MemoryUse.LONG_MESSAGES)).isGreaterThanOrEqualTo(LONG.length());
        goOn.countDown();
        assertThat(got.take()).isEqualTo(sent);
        assertThat(threads).containsOnly(threads.peek()).hasSize(sent.size());
        sending.join();
        Patience.until(
                () -> "nothing is kept: " + pair.far().memory(),
                () -> pair.far().memory().uses().get(MemoryUse.LONG_MESSAGES) == 0);
        serving.dispose();
    }

    @Test
    void aBrokenValueFailsItsStream() throws InterruptedException {
        BlockingQueue<Throwable> failed = new LinkedBlockingQueue<>();
        Disposable serving = pair.far()
                .serve(
                        "sink",
                        channel -> channel.receive(slow).doOnError(failed::add).then());
        var sending = send(Flux.just("1", BROKEN, LONG, "2")).onErrorComplete().toFuture();
        othersAreServed();
        goOn.countDown();
        assertThat(failed.take()).isInstanceOf(ProtocolMismatch.class).hasMessage("broken");
        sending.join();
        assertThat(readers).hasSize(1);
        serving.dispose();
    }

    @Test
    void whoWaitsHearsOfFatalErrorsToo() throws InterruptedException {
        BlockingQueue<Throwable> failed = new LinkedBlockingQueue<>();
        Disposable sink = pair.far()
                .serve(
                        "sink",
                        channel -> channel.receive(slow).doOnError(failed::add).then());
        Disposable upper = pair.far().answer("upper", TEXT, TEXT, value -> Mono.just(FATAL));
        var sending = send(Flux.just("1", FATAL, "2")).onErrorComplete().toFuture();
        othersAreServed();
        goOn.countDown();
        assertThat(failed.take()).isInstanceOf(NoClassDefFoundError.class);
        sending.join();
        var asked = pair.peer().ask("upper", "short", TEXT, slow).toFuture();
        assertThat(asked)
                .failsWithin(Patience.LIMIT)
                .withThrowableThat()
                .withCauseInstanceOf(NoClassDefFoundError.class);
        othersAreServed();
        upper.dispose();
        sink.dispose();
    }

    @Test
    void whoCancelsGetsNothingAndNothingIsKept() throws InterruptedException {
        Queue<String> got = new ConcurrentLinkedQueue<>();
        BlockingQueue<Disposable> receiving = new LinkedBlockingQueue<>();
        Disposable serving = pair.far().serve("sink", channel -> {
            receiving.add(channel.receive(slow).subscribe(got::add));
            return Mono.never();
        });
        var sending = send(Flux.just("1", LONG, LONG, "2")).onErrorComplete().toFuture();
        othersAreServed();
        receiving.take().dispose();
        goOn.countDown();
        sending.join();
        Patience.until(
                () -> "nothing is kept: " + pair.far().memory(),
                () -> pair.far().memory().uses().get(MemoryUse.LONG_MESSAGES) == 0);
        assertThat(got).containsExactly("1");
        serving.dispose();
    }

    @Test
    void requestsAndAnswers() throws InterruptedException {
        Disposable serving = pair.far().answer("upper", slow, TEXT, value -> Mono.just(value.toUpperCase(Locale.ROOT)));
        var asked = pair.peer().ask("upper", LONG, TEXT, slow).toFuture();
        othersAreServed();
        goOn.countDown();
        assertThat(asked.join()).isEqualTo(LONG.toUpperCase(Locale.ROOT));
        assertThat(readers).hasSize(2).noneMatch(name -> name.startsWith("weir-near"));
        assertThatExceptionOfType(RemoteFailure.class)
                .isThrownBy(() -> pair.peer().ask("upper", BROKEN, TEXT, TEXT).block(Patience.LIMIT))
                .withMessageContaining("broken");
        serving.dispose();
    }

    /** Only what is being read when its asker goes is read to its end. */
    @Test
    void requestsThatAreGivenUpAreNotRead() throws InterruptedException {
        Disposable serving = pair.far().answer("upper", slow, TEXT, Mono::just);
        Disposable asking = Flux.range(0, 50)
                .flatMap(number -> pair.peer().ask("upper", LONG, TEXT, TEXT), 50)
                .subscribe();
        othersAreServed();
        asking.dispose();
        pair.settle();
        goOn.countDown();
        assertThat(pair.peer().ask("upper", "short", TEXT, TEXT).block(Patience.LIMIT))
                .isEqualTo("short");
        assertThat(readers).hasSize(1);
        serving.dispose();
    }

    @Test
    void streamsAndStages() throws InterruptedException {
        Disposable serving = pair.far().stream("twice", slow, TEXT, value -> Flux.just(value, value));
        var streamed =
                pair.peer().stream("twice", LONG, TEXT, slow).collectList().toFuture();
        othersAreServed();
        goOn.countDown();
        assertThat(streamed.join()).containsExactly(LONG, LONG);
        Disposable echoing = pair.far().serve("same", channel -> channel.send(channel.receive(slow), TEXT));
        assertThat(Flux.just("1", LONG, "2")
                        .transform(pair.peer().stage("same", TEXT, slow))
                        .collectList()
                        .block(Patience.LIMIT))
                .containsExactly("1", LONG, "2");
        assertThat(readers).noneMatch(name -> name.startsWith("weir-near") || name.startsWith("weir-far"));
        echoing.dispose();
        serving.dispose();
    }
}
