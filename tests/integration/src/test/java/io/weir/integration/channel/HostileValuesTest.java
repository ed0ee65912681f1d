package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.memory.MemoryUse;
import io.weir.service.remote.CallCodec;
import io.weir.service.remote.CallCodecs;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.Interfaces;
import io.weir.service.remote.ProxyOptions;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** A peer that sends what takes minutes to parse, to a node with one loop for all, which others use as well. */
@Tag("whole")
class HostileValuesTest implements OnRoute {

    interface Reader {

        Mono<String> thread(List<Integer> numbers);

        Flux<String> threads(List<Integer> numbers);

        Mono<Integer> sum(Flux<Integer> numbers);

        int count(List<Map<String, Integer>> records);

        Flux<Integer> counts(List<Map<String, Integer>> records);

        Mono<String> text(int length);

        Flux<String> texts(int count);

        Flux<Integer> lengths(Flux<String> texts);
    }

    private static final class Here implements Reader {

        @Override
        public Mono<String> thread(List<Integer> numbers) {
            return Mono.just(Thread.currentThread().getName());
        }

        @Override
        public Flux<String> threads(List<Integer> numbers) {
            return thread(numbers).flux();
        }

        @Override
        public Mono<Integer> sum(Flux<Integer> numbers) {
            return numbers.reduce(0, Integer::sum);
        }

        @Override
        public int count(List<Map<String, Integer>> records) {
            return records.size();
        }

        @Override
        public Flux<Integer> counts(List<Map<String, Integer>> records) {
            return Flux.just(count(records));
        }

        @Override
        public Mono<String> text(int length) {
            return Mono.just("x".repeat(length));
        }

        @Override
        public Flux<String> texts(int count) {
            return Flux.range(0, count).map(HostileValuesTest::longOrShort);
        }

        @Override
        public Flux<Integer> lengths(Flux<String> texts) {
            return texts.map(String::length);
        }
    }

    private static String longOrShort(int number) {
        return ("x" + number).repeat(number % 3 == 1 ? 50_000 : 1);
    }

    private static final int TAGS = 3_000_000;

    private static void writeTags(ByteBuf target) {
        for (int i = 0; i < TAGS; i++) {
            target.writeByte(0xc6);
        }
        target.writeByte(1);
    }

    private static Message tags() {
        ByteBuf payload = Payloads.heap(TAGS + 1);
        writeTags(payload);
        return Message.of(payload);
    }

    /** Says that it writes CBOR, and does, after a fashion. */
    private static final CallCodec TAGGING = new CallCodec() {
        @Override
        public String name() {
            return "cbor";
        }

        @Override
        public Values values(Type type) {
            return new Values() {
                @Override
                public void write(Object value, ByteBuf target) {
                    writeTags(target);
                }

                @Override
                public Object read(ByteBuf source) {
                    return List.of();
                }
            };
        }
    };

    private static final ExportOptions EXPORT = ExportOptions.standard();
    private static final ProxyOptions PROXY = ProxyOptions.standard();

    private enum Way {
        CHANNEL,
        REQUEST,
        ARGUMENT,
        ARGUMENT_OF_STREAM,
        ITEM
    }

    private static Mono<?> attack(Way way, Node near, Peer far) {
        Reader reader = new Interfaces(near).proxy(Reader.class, far, "reader", PROXY.codec(TAGGING));
        return switch (way) {
            case CHANNEL ->
                far.channel("values").flatMap(channel -> channel.send(Mono.fromSupplier(HostileValuesTest::tags)));
            case REQUEST -> far.ask("asked", tags()).doOnNext(Message::release);
            case ARGUMENT -> reader.thread(List.of(1));
            case ARGUMENT_OF_STREAM -> reader.threads(List.of(1)).then();
            case ITEM -> reader.sum(Flux.just(1));
        };
    }

    @ParameterizedTest
    @EnumSource
    void whoSendsManyTagsHoldsNobodyUp(Way way, Nodes nodes) {
        Pair pair = nodes.pair(near -> near, far -> far.loops(1));
        AtomicReference<@Nullable Throwable> refused = new AtomicReference<>();
        var values = pair.far()
                .serve(
                        "values",
                        channel -> channel.receive(Codecs.cbor(Object.class))
                                .doOnError(refused::set)
                                .then());
        var asked =
                pair.far().answer("asked", Codecs.cbor(Object.class), Codecs.text(), value -> Mono.just("it is read"));
        var reader = new Interfaces(pair.far()).export("reader", Reader.class, new Here(), EXPORT);

        var attacking = attack(way, pair.near(), pair.peer()).subscribe(unused -> {}, refused::set);
        Pair bystander = nodes.connect(nodes.start("bystander"), pair.far());
        Patience.until("it is refused", () -> {
            bystander.settle();
            return refused.get() != null;
        });

        assertThat(refused.get()).hasMessageContaining("a value has more than 8 tags");
        attacking.dispose();
        List.of(values, asked, reader).forEach(Disposable::dispose);
    }

    /** The other way round. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoAnswersWithManyTagsHoldsNobodyUp(boolean asStream, Nodes nodes) {
        Pair pair = nodes.pair(near -> near.loops(1), far -> far);
        var export = new Interfaces(pair.far()).export("reader", Reader.class, new Here(), EXPORT.codec(TAGGING));
        Reader reader = new Interfaces(pair.near()).proxy(Reader.class, pair.peer(), "reader", PROXY);
        Pair bystander = nodes.connect(nodes.start("bystander"), pair.near());

        AtomicReference<@Nullable Throwable> refused = new AtomicReference<>();
        var calling = (asStream ? reader.threads(List.of()).next() : reader.thread(List.of()))
                .subscribe(unused -> {}, refused::set);
        Patience.until("it is refused", () -> {
            bystander.settle();
            return refused.get() != null;
        });

        assertThat(refused.get())
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("a value has more than 8 tags");
        calling.dispose();
        export.dispose();
    }

    private static List<Map<String, Integer>> records(int count) {
        return Collections.nCopies(count, Map.of("a", 0));
    }

    /** By a node with 32 MiB for its peers, and by one with a gigabyte. */
    @Test
    void argumentsForWhichThereIsNoMemoryFailOnTheirOwn(Nodes nodes) {
        for (boolean roomy : new boolean[] {false, true}) {
            Pair pair = nodes.pair(near -> near, far -> far.memoryMax(roomy ? 1 << 30 : 32 << 20));
            var export = new Interfaces(pair.far()).export("reader", Reader.class, new Here(), EXPORT);
            Reader reader = new Interfaces(pair.near()).proxy(Reader.class, pair.peer(), "reader", PROXY);
            assertThat(reader.count(records(10))).isEqualTo(10);
            long before = pair.far().memory().uses().get(MemoryUse.REQUESTS);
            for (int count : new int[] {5_000, 300_000, 5_000}) {
                List<Map<String, Integer>> records = records(count);
                if (roomy || count < 100_000) {
                    assertThat(reader.count(records)).isEqualTo(count);
                    assertThat(reader.counts(records).blockLast(Patience.LIMIT)).isEqualTo(count);
                } else {
                    assertThatExceptionOfType(Overloaded.class)
                            .isThrownBy(() -> reader.count(records))
                            .withMessageContaining("there is no memory for a value");
                    assertThatExceptionOfType(Overloaded.class)
                            .isThrownBy(() -> reader.counts(records).blockLast(Patience.LIMIT));
                }
            }
            // What a channel takes for short requests stays with it, and there is one more for those with streams.
            Patience.until(
                    () -> "nothing is kept: " + pair.far().memory(),
                    () -> pair.far().memory().uses().get(MemoryUse.REQUESTS) < 2 * before + (1 << 20));
            export.dispose();
        }
    }

    interface Holder {

        Mono<Integer> hold(List<Integer> numbers);
    }

    @Test
    void whatACallWasMadeWithIsInTheAccountWhileItGoesOn(Nodes nodes) {
        Pair pair = nodes.pair();
        Holder far = numbers -> numbers.isEmpty() ? Mono.just(0) : Mono.never();
        var export = new Interfaces(pair.far()).export("holder", Holder.class, far, EXPORT);
        Holder holder = new Interfaces(pair.near()).proxy(Holder.class, pair.peer(), "holder", PROXY);
        assertThat(holder.hold(List.of()).block(Patience.LIMIT)).isZero();
        long before = pair.far().memory().uses().get(MemoryUse.REQUESTS);
        Disposable held = holder.hold(Collections.nCopies(500, 1)).subscribe();
        Patience.until(
                () -> "500 numbers are held: " + pair.far().memory(),
                () -> pair.far().memory().uses().get(MemoryUse.REQUESTS) > before + 15_000);
        held.dispose();
        Patience.until(
                () -> "nothing is kept: " + pair.far().memory(),
                () -> pair.far().memory().uses().get(MemoryUse.REQUESTS) < before + 5_000);
        export.dispose();
    }

    /** What a channel takes for short requests stays with it. */
    @Test
    void aLongRequestGivesBackWhatItHasTaken(Nodes nodes) {
        Pair pair = nodes.pair();
        var size = pair.far().answer("size", message -> {
            int bytes = message.size();
            message.release();
            return Mono.delay(Duration.ofMillis(1)).map(tick -> Payloads.text(Integer.toString(bytes)));
        });
        assertThat(size(pair, 1)).isEqualTo("1");
        long before = pair.far().memory().uses().get(MemoryUse.REQUESTS);
        for (int bytes : new int[] {3 << 20, 1 << 20}) {
            assertThat(size(pair, bytes)).isEqualTo(Integer.toString(bytes));
        }
        Patience.until(
                () -> "what long requests took is given back: " + pair.far().memory(),
                () -> pair.far().memory().uses().get(MemoryUse.REQUESTS) <= before + (512 << 10));
        size.dispose();
    }

    private static @Nullable String size(Pair pair, int bytes) {
        return pair.peer()
                .ask("size", Message.of(Payloads.direct(bytes).writeZero(bytes)))
                .map(Payloads::read)
                .block(Patience.LIMIT);
    }

    /** So it knows that nobody gets what it has passed by reference, for instance. */
    @Test
    void whoAnswersWithWhatIsTooLongIsCancelledBehindIt(Nodes nodes) {
        Pair pair = nodes.pair(near -> near, far -> far.maxMessage(100_000));
        AtomicBoolean cancelled = new AtomicBoolean();
        Mono<Message> tooLong = new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Message> actual) {
                actual.onSubscribe(new Subscription() {
                    @Override
                    public void request(long n) {
                        // It comes anyway.
                    }

                    @Override
                    public void cancel() {
                        cancelled.set(true);
                    }
                });
                actual.onNext(Message.of(Payloads.direct(200_000).writeZero(200_000)));
                actual.onComplete();
            }
        };
        var answering = pair.far().answer("too long", message -> {
            message.release();
            return tooLong;
        });
        StepVerifier.create(pair.peer().ask("too long", Payloads.text("?")))
                .expectErrorSatisfies(error -> assertThat(error).hasMessageContaining("weir.message.max"))
                .verify(Patience.LIMIT);
        assertThat(cancelled).isTrue();
        answering.dispose();
    }

    /** What is long is read where it holds nobody up. */
    @Test
    void longArgumentsAreReadOnAnotherThreadThanTheLoop(Nodes nodes) {
        Pair pair = nodes.pair();
        var export = new Interfaces(pair.far()).export("reader", Reader.class, new Here(), EXPORT);
        Reader reader = new Interfaces(pair.near()).proxy(Reader.class, pair.peer(), "reader", PROXY);

        StepVerifier.create(reader.thread(Collections.nCopies(1000, 1)))
                .assertNext(thread -> assertThat(thread).startsWith("weir-far-"))
                .expectComplete()
                .verify(Patience.LIMIT);
        for (Mono<String> each : List.of(
                reader.thread(Collections.nCopies(300_000, 1)),
                reader.threads(Collections.nCopies(300_000, 1)).single())) {
            StepVerifier.create(each)
                    // Virtual threads, where there are some, have no name.
                    .assertNext(thread -> assertThat(thread).doesNotStartWith("weir-far-"))
                    .expectComplete()
                    .verify(Patience.LIMIT);
        }
        export.dispose();
    }

    /** Which threads have read long values. */
    private static CallCodec recording(Queue<String> readers) {
        CallCodec real = CallCodecs.cbor();
        return new CallCodec() {
            @Override
            public String name() {
                return real.name();
            }

            @Override
            public Values values(Type type) {
                Values values = real.values(type);
                return new Values() {
                    @Override
                    public void write(Object value, ByteBuf target) {
                        values.write(value, target);
                    }

                    @Override
                    public Object read(ByteBuf source) {
                        if (source.readableBytes() > 64 << 10) {
                            readers.add(Thread.currentThread().getName());
                        }
                        return values.read(source);
                    }
                };
            }
        };
    }

    @Test
    void longAnswersAndItemsOfCallsAreReadInTheirOrderAndNotOnALoop(Nodes nodes) {
        Pair pair = nodes.pair();
        Queue<String> readers = new ConcurrentLinkedQueue<>();
        CallCodec codec = recording(readers);
        var export = new Interfaces(pair.far()).export("reader", Reader.class, new Here(), EXPORT.codec(codec));
        Reader reader = new Interfaces(pair.near()).proxy(Reader.class, pair.peer(), "reader", PROXY.codec(codec));
        List<String> texts =
                IntStream.range(0, 20).mapToObj(HostileValuesTest::longOrShort).toList();

        assertThat(reader.text(100_000).block(Patience.LIMIT)).hasSize(100_000);
        assertThat(readers).hasSize(1);
        assertThat(reader.texts(20).collectList().block(Patience.LIMIT)).isEqualTo(texts);
        assertThat(readers).hasSize(8);
        assertThat(reader.lengths(Flux.fromIterable(texts)).collectList().block(Patience.LIMIT))
                .isEqualTo(texts.stream().map(String::length).toList());
        assertThat(readers).hasSize(15).noneMatch(thread -> thread.startsWith("weir-"));
        export.dispose();
    }
}
