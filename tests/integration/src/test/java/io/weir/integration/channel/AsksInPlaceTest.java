package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Peer;
import io.weir.core.ContentView;
import io.weir.core.Message;
import io.weir.core.WeirException;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Requests and answers of codecs that need neither a buffer nor a message. */
class AsksInPlaceTest implements OnRoute {

    private static final int COUNT = 10_000;
    private static final String PORT = "plus";

    /** A number that its codec reads when it is written. */
    private static final class Slot {

        long number;

        Slot(long number) {
            this.number = number;
        }
    }

    private static class Slots extends CountedBuffers<Slot> {

        @Override
        public int length(Slot value) {
            return Long.BYTES;
        }

        @Override
        public void write(Slot value, ContentView to) {
            to.putLong(0, value.number);
        }

        @Override
        public Slot read(ContentView from) {
            return new Slot(from.getLong(0));
        }
    }

    private final Slots requests = new Slots();
    private final Slots answers = new Slots();
    private final Slots servedRequests = new Slots();
    private final Slots servedAnswers = new Slots();

    @Override
    public Route route() {
        return Route.SHM;
    }

    private Pair pair(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused =
                pair.far().answer(PORT, servedRequests, servedAnswers, slot -> Mono.just(new Slot(slot.number + 1)));
        return pair;
    }

    private Mono<Long> plusOne(Peer peer, long number) {
        return peer.ask(PORT, new Slot(number), requests, answers).map(slot -> slot.number);
    }

    private static <T> T await(Mono<T> mono) {
        return Objects.requireNonNull(mono.block(Patience.LIMIT));
    }

    /** One behind the other: all but the first begin on the loop. */
    private List<Long> chain(Peer peer, long from, long to) {
        return await(plusOne(peer, from)
                .expand(number -> number < to ? plusOne(peer, number) : Mono.empty())
                .collectList());
    }

    private static List<Long> numbers(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    @Test
    void whoAsksOnTheLoopNeedsNoBuffers(Nodes nodes) {
        Pair pair = pair(nodes);
        assertThat(chain(pair.peer(), 0, COUNT)).isEqualTo(numbers(1, COUNT));
        assertThat(requests.buffers).hasValueLessThan(COUNT / 4);
        assertThat(answers.buffers).hasValueLessThan(COUNT / 4);
        assertThat(servedRequests.buffers).hasValueLessThan(COUNT / 4);
        assertThat(servedAnswers.buffers).hasValueLessThan(COUNT / 4);
        pair.settle();
    }

    /** What each fourth request comes to. */
    private static Mono<Slot> handled(Slot slot) {
        return switch ((int) (slot.number % 4)) {
            case 0 -> Mono.just(new Slot(slot.number + 1));
            case 1 -> Mono.just(new Slot(slot.number + 1)).subscribeOn(Schedulers.parallel());
            case 2 -> Mono.error(new IllegalStateException("none for " + slot.number));
            default -> Mono.empty();
        };
    }

    @Test
    void whateverAHandlerYieldsComesBack(Nodes nodes) {
        Pair pair = nodes.pair();
        AtomicInteger told = new AtomicInteger();
        var unused = pair.far().answer(PORT, servedRequests, servedAnswers, AsksInPlaceTest::handled);
        unused = pair.far().answer("told", servedRequests, servedAnswers, slot -> {
            told.incrementAndGet();
            return handled(slot);
        });
        Peer peer = pair.peer();
        List<String> seen = await(Flux.range(0, 2000)
                .concatMap(number -> peer.tell("told", new Slot(number), requests)
                        .then(plusOne(peer, number))
                        .map(next -> "" + (next - number))
                        .onErrorResume(e -> Mono.just(String.valueOf(e.getMessage())))
                        .defaultIfEmpty("nothing"))
                .collectList());
        assertThat(seen).hasSize(2000);
        for (int i = 0; i < seen.size(); i += 4) {
            assertThat(seen.get(i + 2)).endsWith("none for " + (i + 2));
            assertThat(List.of(seen.get(i), seen.get(i + 1), seen.get(i + 3))).containsExactly("1", "1", "nothing");
        }
        pair.settle();
        assertThat(told).hasValue(2000);
        assertThat(servedRequests.buffers).hasValueLessThan(1000);
    }

    @Test
    void whatTheCodecsOfAHandlerThrowFailsThatRequestOnly(Nodes nodes) {
        Pair pair = nodes.pair();
        Slots reading = new Slots() {
            @Override
            public Slot read(ContentView from) {
                Slot slot = super.read(from);
                if (slot.number % 3 == 1) {
                    throw new IllegalArgumentException("not read");
                }
                return slot;
            }
        };
        Slots writing = new Slots() {
            @Override
            public void write(Slot value, ContentView to) {
                if (value.number % 3 == 0) {
                    throw new AssertionError("not written");
                }
                super.write(value, to);
            }
        };
        var unused = pair.far().answer(PORT, reading, writing, slot -> Mono.just(new Slot(slot.number + 1)));
        List<String> seen = await(Flux.range(0, 1500)
                .concatMap(number -> plusOne(pair.peer(), number)
                        .map(next -> "" + (next - number))
                        .onErrorResume(e -> Mono.just(String.valueOf(e.getMessage()))))
                .collectList());
        for (int i = 0; i < seen.size(); i += 3) {
            assertThat(seen.get(i)).isEqualTo("1");
            assertThat(seen.get(i + 1)).contains("not read");
            assertThat(seen.get(i + 2)).contains("not written");
        }
        pair.settle();
    }

    /** The first ones go at once, the others wait for credit. */
    @Test
    void aValueMayChangeAsSoonAsItWasAskedWith(Nodes nodes) {
        Pair pair = pair(nodes);
        List<Long> seen = await(plusOne(pair.peer(), -1)
                .flatMapMany(first -> {
                    Slot slot = new Slot(0);
                    List<Mono<Long>> asked = new ArrayList<>();
                    for (long number = 0; number < COUNT; number++) {
                        slot.number = number;
                        Mono<Long> answer = pair.peer()
                                .ask(PORT, slot, requests, answers)
                                .map(each -> each.number)
                                .cache();
                        asked.add(answer);
                        var unused = answer.subscribe();
                    }
                    slot.number = -1;
                    return Flux.concat(asked);
                })
                .collectList());
        assertThat(seen).isEqualTo(numbers(1, COUNT));
        assertThat(requests.buffers).hasPositiveValue();
        pair.settle();
    }

    @Test
    void whatCodecsThrowFailsThatRequestOnly(Nodes nodes) {
        Pair pair = pair(nodes);
        Slots cannotWrite = new Slots() {
            @Override
            public void write(Slot value, ContentView to) {
                throw new AssertionError("not written");
            }
        };
        Slots cannotRead = new Slots() {
            @Override
            public Slot read(ContentView from) {
                throw new IllegalArgumentException("not read");
            }
        };
        Peer peer = pair.peer();
        var warm = chain(peer, 0, 100);
        assertThat(warm).hasSize(100);
        List<String> seen = await(Flux.fromIterable(numbers(100, 300))
                .concatMap(number -> plusOne(peer, number)
                        .then(peer.ask(PORT, new Slot(number), cannotWrite, answers))
                        .map(slot -> "written")
                        .onErrorResume(e -> Mono.just(String.valueOf(e.getMessage())))
                        .concatWith(peer.ask(PORT, new Slot(number), requests, cannotRead)
                                .map(slot -> "read")
                                .onErrorResume(e -> Mono.just(String.valueOf(e.getMessage()))))
                        .concatWith(plusOne(peer, number).map(next -> "" + (next - number))))
                .collectList());
        assertThat(seen).hasSize(3 * 201);
        for (int i = 0; i < seen.size(); i += 3) {
            assertThat(seen.subList(i, i + 3)).containsExactly("not written", "not read", "1");
        }
        pair.settle();
    }

    @Test
    void whoCancelsGetsNothing(Nodes nodes) {
        Pair pair = pair(nodes);
        AtomicLong got = new AtomicLong();
        List<Long> seen = await(Flux.range(0, 1000)
                .concatMap(number -> plusOne(pair.peer(), number).doOnNext(next -> {
                    plusOne(pair.peer(), 7).subscribe(got::set).dispose();
                    Mono<Message> message = pair.peer().ask(PORT, Message.of("12345678"));
                    message.subscribe(Message::release).dispose();
                }))
                .collectList());
        assertThat(seen).isEqualTo(numbers(1, 1000));
        assertThat(got).hasValue(0);
        pair.settle();
    }

    @Test
    void whoAsksForTheAnswerLaterHasAskedWithTheValueOfBefore(Nodes nodes) {
        Pair pair = pair(nodes);
        Sinks.One<Long> got = Sinks.one();
        BaseSubscriber<Long> later = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                // Nothing is asked for yet.
            }

            @Override
            protected void hookOnNext(Long next) {
                got.emitValue(next, Sinks.EmitFailureHandler.FAIL_FAST);
            }
        };
        Slot slot = new Slot(40);
        await(plusOne(pair.peer(), 1).doOnNext(next -> {
            pair.peer()
                    .ask(PORT, slot, requests, answers)
                    .map(each -> each.number)
                    .subscribe(later);
            slot.number = -1;
        }));
        later.request(1);
        assertThat(await(got.asMono())).isEqualTo(41);
        pair.settle();
    }

    /** The request of which the value is being written is cancelled, or another one begins, or the session ends. */
    @Test
    void aCodecMayDoAnything(Nodes nodes) {
        Pair pair = pair(nodes);
        Peer peer = pair.peer();
        AtomicReference<Subscription> own = new AtomicReference<>();
        AtomicLong others = new AtomicLong();
        Slots cancels = new Slots() {
            @Override
            public void write(Slot value, ContentView to) {
                super.write(value, to);
                own.get().cancel();
            }
        };
        Slots asks = new Slots() {
            @Override
            public void write(Slot value, ContentView to) {
                var unused = plusOne(peer, value.number + 100).subscribe(others::addAndGet);
                super.write(value, to);
            }
        };
        List<Long> seen = await(Flux.range(0, 500)
                .concatMap(number -> plusOne(peer, number)
                        .doOnNext(next -> {
                            // Its subscription is known before it asks for the answer.
                            Mono<Slot> cancelled = peer.ask(PORT, new Slot(number), cancels, answers)
                                    .doOnSubscribe(own::set);
                            cancelled.subscribe(slot -> others.addAndGet(1_000_000_000));
                        })
                        .then(peer.ask(PORT, new Slot(number), asks, answers))
                        .map(slot -> slot.number))
                .collectList());
        assertThat(seen).isEqualTo(numbers(1, 500));
        pair.settle();
        assertThat(others).hasValue(LongStream.range(0, 500).map(n -> n + 101).sum());
    }

    @Test
    void theEndOfTheSessionEndsWhatIsAsked(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().answer(PORT, servedRequests, servedAnswers, slot -> Mono.never());
        unused = pair.far().answer("one", servedRequests, servedAnswers, slot -> Mono.just(slot));
        Peer peer = pair.peer();
        Mono<Long> failures =
                await(peer.ask("one", new Slot(1), requests, answers).map(slot -> {
                    List<Mono<Boolean>> asked = new ArrayList<>();
                    for (int i = 0; i < 1000; i++) {
                        Mono<Boolean> failed = peer.ask(PORT, slot, requests, answers)
                                .hasElement()
                                .onErrorResume(WeirException.class, e -> Mono.just(true))
                                .cache();
                        asked.add(failed);
                        var ignored = failed.subscribe();
                    }
                    return Flux.concat(asked).filter(failed -> failed).count().cache();
                }));
        assertThat(pair.far().close().blockOptional(Patience.LIMIT)).isEmpty();
        assertThat(await(failures)).isEqualTo(1000);
    }

    @Test
    void messagesAndValuesAreAnsweredSideBySide(Nodes nodes) {
        Pair pair = pair(nodes);
        Peer peer = pair.peer();
        List<Long> seen = await(Flux.range(0, 2000)
                .concatMap(number -> plusOne(peer, number)
                        .flatMap(next -> peer.ask(PORT, Message.of(requests.encode(new Slot(next), peer.allocator())))
                                .map(message -> message.decode(answers).number)))
                .collectList());
        assertThat(seen).isEqualTo(numbers(2, 2001));
        pair.settle();
    }

    @Test
    void goesOnWhileThePathChanges(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.order("shm", "tcp"), spec -> spec.order("shm", "tcp"));
        var unused = pair.far().answer(PORT, new Slots(), new Slots(), slot -> Mono.just(new Slot(slot.number + 1)));
        AtomicLong last = new AtomicLong(Long.MAX_VALUE);
        AtomicLong reached = new AtomicLong();
        Mono<Long> chain = plusOne(pair.peer(), 0)
                .expand(number -> number < last.get() ? plusOne(pair.peer(), number) : Mono.empty())
                .doOnNext(number -> assertThat(reached.getAndSet(number)).isEqualTo(number - 1))
                .last()
                .cache();
        unused = chain.subscribe();
        for (int move = 0; move < 4; move++) {
            long before = reached.get();
            Patience.until("the requests go on", () -> reached.get() > before + 1000);
            var moved = pair.peer().moveTo(move % 2 == 0 ? "tcp" : "shm").block(Patience.LIMIT);
            assertThat(moved).isNotNull();
        }
        last.set(reached.get() + 1000);
        assertThat(await(chain)).isGreaterThanOrEqualTo(last.get());
        pair.settle();
    }
}
