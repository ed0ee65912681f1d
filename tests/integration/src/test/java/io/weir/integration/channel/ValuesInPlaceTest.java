package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Channel;
import io.weir.channel.Peer;
import io.weir.core.Codecs;
import io.weir.core.ContentView;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import io.weir.core.RemoteFailure;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Values of codecs that need neither a buffer nor a message, and what can't go that way after all. */
class ValuesInPlaceTest implements OnRoute {

    private static final int COUNT = 20_000;

    /** Of 8 to 2207 bytes by its value: some do not fit in place. */
    private static class Padded extends CountedBuffers<Long> {

        private final int longest;

        Padded(int longest) {
            this.longest = longest;
        }

        @Override
        public int length(Long value) {
            return 8 + (int) (value % (longest - 7));
        }

        @Override
        public void write(Long value, ContentView to) {
            to.putLong(0, value);
            for (int at = 8; at < to.length(); at++) {
                to.putByte(at, (byte) (at * value));
            }
        }

        @Override
        public Long read(ContentView from) {
            long value = from.getLong(0);
            for (int at = 8; at < from.length(); at++) {
                if (from.getByte(at) != (byte) (at * value)) {
                    throw new ProtocolMismatch("byte " + at + " of value " + value);
                }
            }
            if (length(value) != from.length()) {
                throw new ProtocolMismatch("value " + value + " has " + from.length() + " bytes");
            }
            return value;
        }
    }

    private final Padded there = new Padded(100);
    private final Padded here = new Padded(100);

    @Override
    public Route route() {
        return Route.SHM;
    }

    private static Flux<Long> numbers(long count) {
        return Flux.generate(() -> 0L, (next, sink) -> {
            if (next == count) {
                sink.complete();
            } else {
                sink.next(next);
            }
            return next + 1;
        });
    }

    private static List<Long> all(int count) {
        return LongStream.range(0, count).boxed().toList();
    }

    private static Channel channel(Pair pair, String port) {
        return Objects.requireNonNull(pair.peer().channel(port).block(Patience.LIMIT));
    }

    private static void hasAll(Flux<Long> received, int count) {
        List<Long> seen = received.collectList().block(Patience.LIMIT);
        assertThat(seen).containsExactlyElementsOf(all(count));
    }

    /** How the other side's codec fares is asked behind its last value. */
    @Test
    void shortValuesNeedNoBuffers(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().serve("numbers", channel -> channel.send(numbers(COUNT), there));
        hasAll(channel(pair, "numbers").receive(here), COUNT);
        // Those that come before anybody asks, and where the ring is full.
        assertThat(there.buffers).hasValueLessThan(COUNT / 4);
        assertThat(here.buffers).hasValueLessThan(COUNT / 4);
    }

    @Test
    void longAndShortOnesKeepTheirOrder(Nodes nodes) {
        Padded mixed = new Padded(4000);
        Pair pair = nodes.pair();
        var unused = pair.far().serve("numbers", channel -> channel.send(numbers(COUNT), mixed));
        hasAll(channel(pair, "numbers").receive(mixed), COUNT);
    }

    /** Those that come from there go by a queue; the sender has both in turn. */
    @Test
    void valuesOfOtherThreadsKeepTheirOrder(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far()
                .serve(
                        "numbers",
                        channel -> channel.send(
                                numbers(COUNT / 2)
                                        .concatWith(
                                                numbers(COUNT).skip(COUNT / 2).publishOn(Schedulers.parallel())),
                                there));
        hasAll(channel(pair, "numbers").receive(here), COUNT);
    }

    /** On one link: what is lent for one must not reach the other. */
    @Test
    void valuesAndMessagesShareALink(Nodes nodes) {
        Pair pair = nodes.pair();
        var values = pair.far().serve("values", channel -> channel.send(numbers(COUNT), there));
        var messages = pair.far()
                .serve("messages", channel -> channel.send(numbers(COUNT).map(n -> Message.of(Long.toString(n)))));
        Flux<Long> typed = channel(pair, "values").receive(here);
        Flux<Long> plain = channel(pair, "messages").receive().map(message -> {
            long number = Long.parseLong(message.text());
            message.release();
            return number;
        });
        List<List<Long>> both = Flux.merge(typed.collectList(), plain.collectList())
                .collectList()
                .block(Patience.LIMIT);
        assertThat(both).hasSize(2).allSatisfy(each -> assertThat(each).containsExactlyElementsOf(all(COUNT)));
    }

    @Test
    void noMoreThanIsAskedFor(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().serve("numbers", channel -> channel.send(numbers(COUNT), there));
        List<Long> seen = new CopyOnWriteArrayList<>();
        Probe<Long> probe = Probe.of(0, seen::add);
        channel(pair, "numbers").receive(here).subscribe(probe);
        for (int asked = 1; asked <= 300; asked++) {
            probe.request(1);
            probe.awaitReceived(asked);
        }
        probe.cancel();
        assertThat(seen).containsExactlyElementsOf(all(300));
        Patience.until(
                "the channel is gone", () -> pair.far().stats().stream().allMatch(stats -> stats.channels() == 0));
    }

    @Test
    void whatAWritingCodecThrowsIsAFailureOfTheSource(Nodes nodes) {
        Pair pair = nodes.pair();
        Padded fails = new Padded(100) {
            @Override
            public void write(Long value, ContentView to) {
                super.write(value, to);
                if (value == 1000) {
                    throw new IllegalStateException("does not write 1000");
                }
            }
        };
        AtomicReference<Throwable> heard = new AtomicReference<>();
        var unused = pair.far()
                .serve("numbers", channel -> channel.send(numbers(COUNT), fails).doOnError(heard::set));
        List<Long> seen = new ArrayList<>();
        assertThatThrownBy(() -> channel(pair, "numbers")
                        .receive(here)
                        .doOnNext(seen::add)
                        .blockLast(Patience.LIMIT))
                .isInstanceOf(RemoteFailure.class)
                .hasMessageContaining("does not write 1000");
        assertThat(seen).hasSize(1000);
        Patience.until("the sender has heard of it", () -> heard.get() instanceof IllegalStateException);
        goesOn(pair);
    }

    @Test
    void aLengthThatCannotBeIsAFailureOfTheSource(Nodes nodes) {
        Pair pair = nodes.pair();
        Padded fails = new Padded(100) {
            @Override
            public int length(Long value) {
                return value == 50 ? -1 : super.length(value);
            }
        };
        var unused = pair.far().serve("numbers", channel -> channel.send(numbers(COUNT), fails));
        assertThatThrownBy(() -> channel(pair, "numbers").receive(here).blockLast(Patience.LIMIT))
                .isInstanceOf(RemoteFailure.class);
        goesOn(pair);
    }

    @Test
    void whatAReadingCodecThrowsEndsTheChannel(Nodes nodes) {
        Pair pair = nodes.pair();
        Padded fails = new Padded(100) {
            @Override
            public Long read(ContentView from) {
                Long value = super.read(from);
                if (value == 1000) {
                    throw new ProtocolMismatch("does not read 1000");
                }
                return value;
            }
        };
        Sinks.Empty<Void> cancelled = Sinks.empty();
        var unused = pair.far()
                .serve(
                        "numbers",
                        channel -> channel.send(numbers(Long.MAX_VALUE).doOnCancel(cancelled::tryEmitEmpty), there));
        List<Long> seen = new ArrayList<>();
        assertThatThrownBy(() -> channel(pair, "numbers")
                        .receive(fails)
                        .doOnNext(seen::add)
                        .blockLast(Patience.LIMIT))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("does not read 1000");
        assertThat(seen).hasSize(1000);
        cancelled.asMono().block(Patience.LIMIT);
        goesOn(pair);
    }

    private void goesOn(Pair pair) {
        var unused = pair.far().serve("others", channel -> channel.send(numbers(100), there));
        hasAll(channel(pair, "others").receive(here), 100);
    }

    /** On the loop, and so from within the write of another value: in the same memory, but for a look at that. */
    @Test
    void aCodecMaySendOnAnotherChannel(Nodes nodes) {
        Pair pair = nodes.pair();
        AtomicReference<FluxSink<Long>> other = new AtomicReference<>();
        Padded sends = new Padded(100) {
            @Override
            public void write(Long value, ContentView to) {
                super.write(value, to);
                FluxSink<Long> its = other.get();
                if (its != null) {
                    its.next(value);
                }
            }
        };
        var second = pair.far()
                .serve(
                        "second",
                        channel ->
                                channel.send(Flux.<Long>create(other::set, FluxSink.OverflowStrategy.BUFFER), there));
        var first = pair.far().serve("first", channel -> channel.send(numbers(COUNT), sends));
        Flux<Long> nested = channel(pair, "second").receive(here);
        Probe<Long> probe = Probe.of(Long.MAX_VALUE, value -> {});
        nested.subscribe(probe);
        Patience.until("the second one sends", () -> other.get() != null);
        hasAll(channel(pair, "first").receive(here), COUNT);
        // Some are written twice, where the first write was in vain.
        probe.awaitReceived(COUNT);
        probe.cancel();
    }

    /** What is written while the link goes can't go over it. */
    @Test
    void aCodecMayCutTheLink(Nodes nodes) {
        Pair pair = nodes.pair(
                spec -> spec.order("shm", "tcp").repathProbation(Duration.ofMillis(10)),
                spec -> spec.order("shm", "tcp").repathProbation(Duration.ofMillis(10)));
        AtomicReference<Peer> back = new AtomicReference<>();
        Padded cuts = new Padded(100) {
            @Override
            public void write(Long value, ContentView to) {
                super.write(value, to);
                if (value % 5000 == 4999) {
                    back.get().cut().onErrorComplete().subscribe();
                }
            }
        };
        back.set(pair.back());
        var unused = pair.far().serve("numbers", channel -> channel.send(numbers(COUNT), cuts));
        hasAll(channel(pair, "numbers").receive(here), COUNT);
    }

    /** From where a value is written in place to where it is not, and back. */
    @Test
    void goesOnWhileThePathChanges(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.order("shm", "tcp"), spec -> spec.order("shm", "tcp"));
        var unused = pair.far().serve("numbers", channel -> channel.send(numbers(Long.MAX_VALUE), there));
        AtomicReference<Long> due = new AtomicReference<>(0L);
        Probe<Long> probe = Probe.of(Long.MAX_VALUE, value -> {
            if (!value.equals(due.get())) {
                throw new AssertionError(value + " instead of " + due.get());
            }
            due.set(value + 1);
        });
        channel(pair, "numbers").receive(here).subscribe(probe);
        mostNeedNoBuffers(probe);
        for (int move = 0; move < 2; move++) {
            probe.awaitReceived(probe.received() + 2000);
            var moved = pair.peer().moveTo(move % 2 == 0 ? "tcp" : "shm").block(Patience.LIMIT);
            assertThat(moved).isNotNull();
        }
        mostNeedNoBuffers(probe);
        probe.cancel();
    }

    private void mostNeedNoBuffers(Probe<Long> probe) {
        probe.awaitReceived(probe.received() + 2000);
        int buffers = here.buffers.get();
        long received = probe.received();
        probe.awaitReceived(received + 2000);
        // Read in this order, so that values that come meanwhile make it stricter.
        long more = probe.received() - received;
        assertThat(here.buffers.get() - buffers).isLessThan((int) more / 2);
    }

    @Test
    void textIsTheSameInPlaceAndNot(Nodes nodes) {
        Pair pair = nodes.pair();
        List<String> words = List.of("", "a", "weir", "Wehr – ein Stück", "堰", "\ud83d\udeb0".repeat(600));
        var unused = pair.far()
                .serve("words", channel -> channel.send(Flux.fromIterable(words).repeat(1000), Codecs.text()));
        List<String> seen = Objects.requireNonNull(
                channel(pair, "words").receive(Codecs.text()).collectList().block(Patience.LIMIT));
        assertThat(seen).hasSize(1001 * words.size());
        for (int i = 0; i < seen.size(); i++) {
            assertThat(seen.get(i)).isEqualTo(words.get(i % words.size()));
        }
    }
}
