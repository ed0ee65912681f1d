package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.NodeDefaults;
import io.weir.core.Message;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import io.weir.integration.Sizes;
import io.weir.integration.Source;
import io.weir.tck.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What the receiver asks for is what the sender's source is asked for; nothing else moves, and nothing piles up. */
interface DemandContract extends OnRoute {

    @Test
    default void oneByOne(Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("one by one");
        Source source = Source.of(Sizes.MIXED);
        Probe<Message> received = Probe.of(0, source.parcels().checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.flux(500)).subscribe(sent);

        for (int i = 1; i <= 500; i++) {
            received.request(1);
            assertThat(received.awaitReceived(i).received()).isEqualTo(i);
        }

        received.awaitComplete();
        sent.awaitComplete();
    }

    @Test
    default void inBursts(Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("bursts");
        Source source = Source.of(Sizes.TINY);
        Probe<Message> received = Probe.of(0, source.parcels().checker());
        ends.far().receive().subscribe(received);
        int count = 20_000;
        Probe<Void> sent = Probe.end();
        ends.near().send(source.flux(count)).subscribe(sent);

        SplittableRandom random = Seed.random("bursts");
        for (long asked = 0; asked < count; ) {
            int burst = random.nextInt(1, 3_000);
            received.request(burst);
            asked += burst;
            if (random.nextBoolean()) {
                received.awaitReceived(Math.min(asked, count));
            }
        }

        assertThat(received.awaitComplete().received()).isEqualTo(count);
        sent.awaitComplete();
    }

    @Test
    default void demandHas64Bits(Nodes nodes) {
        Pair pair = nodes.pair();
        for (long demand : new long[] {(1L << 31) + 5, 1L << 40, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            Pair.Ends ends = pair.open("huge");
            Source source = Source.of(Sizes.TINY);
            Probe<Message> received = Probe.of(0, source.parcels().checker());
            ends.far().receive().subscribe(received);
            Probe<Void> sent = Probe.end();
            ends.near().send(source.flux(5_000)).subscribe(sent);

            received.request(demand);
            received.request(demand);

            assertThat(received.awaitComplete().received()).isEqualTo(5_000);
            sent.awaitComplete();
        }
    }

    /** Without an initial window, the source is asked for exactly what the receiver asks for. */
    @Test
    default void demandIsEndToEnd(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.initialItems(0));
        Pair.Ends ends = pair.open("exact");
        Source source = Source.of(Sizes.TINY);
        Probe<Message> received = Probe.of(0, source.parcels().checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);
        pair.settle();
        assertThat(source.requested()).isZero();

        long asked = 0;
        for (int more : new int[] {1, 1, 2, 63, 64, 65, 1_023, 1_024, 1_025, 5_000}) {
            asked += more;
            received.request(more);
            received.awaitReceived(asked);
            pair.settle();
            assertThat(received.check().received()).isEqualTo(asked);
            assertThat(source.requested()).isEqualTo(asked);
        }

        received.cancel();
        source.awaitCancelled();
        sent.awaitComplete();
    }

    @Test
    default void theSourceIsAskedForNoMoreThanDemandAndInitialWindow(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("initial");
        Source source = Source.of(Sizes.TINY);
        Probe<Message> received = Probe.of(0, source.parcels().checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);

        for (int asked = 0; asked <= 3_000; asked += 600) {
            pair.settle();
            assertThat(source.requested()).isLessThanOrEqualTo(asked + NodeDefaults.INITIAL_ITEMS);
            received.request(600);
            received.awaitReceived(asked + 600);
        }

        received.cancel();
        sent.awaitComplete();
    }

    /** Two channels that feed each other go round, however many messages circle. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100, 200})
    default void circles(int circling, Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("circle");
        Probe<Void> farSent = Probe.end();
        ends.far().send(ends.far().receive()).subscribe(farSent);
        AtomicLong rounds = new AtomicLong();
        Flux<Message> first = Flux.range(0, circling).map(i -> Message.of("round and round"));
        Probe<Void> nearSent = Probe.end();
        ends.near()
                .send(Flux.concat(first, ends.near().receive().takeWhile(message -> {
                    boolean goesOn = rounds.incrementAndGet() < 3_000;
                    if (!goesOn) {
                        message.release();
                    }
                    return goesOn;
                })))
                .subscribe(nearSent);

        nearSent.awaitComplete();
        farSent.awaitComplete();
        assertThat(rounds).hasValue(3_000);
    }

    /** The peer may hold what it was told to fetch ahead, and no more. */
    @Test
    default void prefetchIsBeyondTheDemand(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.initialItems(0));
        Pair.Ends ends = pair.open("prefetch");
        Source source = Source.of(Sizes.TINY);
        Probe<Message> received = Probe.of(0, source.parcels().checker());
        ends.far().receive(100).subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);

        source.awaitEmitted(100);
        pair.settle();
        assertThat(source.requested()).isEqualTo(100);
        received.request(10);
        received.awaitReceived(10);
        pair.settle();
        assertThat(source.requested()).isLessThanOrEqualTo(110);

        received.cancel();
        sent.awaitComplete();
        assertThatThrownBy(() -> ends.far().receive(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    /**
     * A consumer that never asks and a producer that never stops: what exists is bounded, and neighbours feel nothing.
     */
    @ParameterizedTest
    @EnumSource(names = {"TINY", "ONE_KIB", "FRAME", "ONE_MIB", "LONG"})
    default void whoNeverAsksCostsAWindow(Sizes sizes, Nodes nodes) {
        Pair pair = nodes.pair();
        Source source = Source.of(sizes);
        Pair.Ends ends = pair.open("stalled");
        Probe<Message> received = Probe.of(0, source.parcels().checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);

        neighboursAreServed(pair);

        pair.settle();
        assertThat(Payloads.bytesOut()).as("bytes of payloads that exist").isLessThanOrEqualTo(bound(sizes));
        assertThat(source.requested()).isLessThanOrEqualTo(NodeDefaults.INITIAL_ITEMS);
        assertThat(source.emittedBytes()).isLessThanOrEqualTo(bound(sizes));

        // It was only waiting: all of it is there.
        received.request(50);
        received.awaitReceived(50);
        received.cancel();
        sent.awaitComplete();
        source.awaitCancelled();
    }

    /** The same, before there is any consumer. */
    @ParameterizedTest
    @EnumSource(names = {"ONE_KIB", "FRAME", "LONG"})
    default void whatNobodyReceivesCostsAWindow(Sizes sizes, Nodes nodes) {
        Pair pair = nodes.pair();
        Source source = Source.of(sizes);
        Pair.Ends ends = pair.open("nobody");
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);

        neighboursAreServed(pair);

        pair.settle();
        assertThat(source.emittedBytes()).isLessThanOrEqualTo(bound(sizes));
        Probe<Void> closed = Probe.end();
        ends.far().close().subscribe(closed);
        closed.awaitComplete();
        sent.awaitComplete();
        source.awaitCancelled();
    }

    /**
     * One window, or the one message that is longer; and what the source was asked for already, a quarter or one
     * message.
     */
    private static long bound(Sizes sizes) {
        long longest = sizes.longest();
        return Math.max(NodeDefaults.WINDOW_BYTES, longest) + Math.max(NodeDefaults.WINDOW_BYTES / 4, longest);
    }

    private static void neighboursAreServed(Pair pair) {
        var unused = pair.far().serve("neighbour", channel -> channel.send(channel.receive()));
        Parcels parcels = new Parcels(Seed.of("neighbour"), Sizes.MIXED);
        Long count = pair.peer()
                .exchange("neighbour", parcels.flux(1_000))
                .doOnNext(parcels.checker())
                .count()
                .block(Patience.LIMIT);
        assertThat(count).isEqualTo(1_000);
    }

    /** However slow: what is under way stays within what was asked for and the initial window. */
    @Test
    default void slowConsumerOnAnotherThread(Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("slow");
        Scheduler scheduler = Schedulers.newSingle("slow-consumer");
        try {
            Source source = Source.of(Sizes.MIXED);
            AtomicLong consumed = new AtomicLong();
            AtomicLong most = new AtomicLong();
            var check = source.parcels().checker();
            int prefetch = 16;
            Probe<Message> received = Probe.of(Long.MAX_VALUE, message -> {
                most.accumulateAndGet(source.emitted() - consumed.get(), Math::max);
                spin(20_000);
                consumed.incrementAndGet();
                check.accept(message);
            });
            ends.far().receive().publishOn(scheduler, prefetch).subscribe(received);
            Probe<Void> sent = Probe.end();
            ends.near().send(source.flux(3_000)).subscribe(sent);

            assertThat(received.awaitComplete().received()).isEqualTo(3_000);
            sent.awaitComplete();
            assertThat(most).hasValueLessThanOrEqualTo(NodeDefaults.INITIAL_ITEMS + prefetch + 1);
        } finally {
            scheduler.dispose();
        }
    }

    private static void spin(long nanos) {
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TINY", "MIXED"})
    default void sourcesAndConsumersOnOtherThreads(Sizes sizes, Nodes nodes) {
        Pair pair = nodes.pair();
        Scheduler scheduler = Schedulers.newParallel("elsewhere", 3);
        try {
            int count = sizes == Sizes.TINY ? 100_000 : 5_000;
            List<Probe<?>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Pair.Ends ends = pair.open("elsewhere");
                Source source = new Source(new Parcels(Seed.of("elsewhere") + i, sizes));
                Probe<Message> received =
                        Probe.of(Long.MAX_VALUE, source.parcels().checker());
                boolean emitsElsewhere = i != 0;
                boolean consumesElsewhere = i != 1;
                Flux<Message> flux = ends.far().receive();
                (consumesElsewhere ? flux.publishOn(scheduler) : flux).subscribe(received);
                Probe<Void> sent = Probe.end();
                ends.near()
                        .send(source.flux(count, it -> emitsElsewhere ? it.publishOn(scheduler) : it))
                        .subscribe(sent);
                all.add(received);
                all.add(sent);
            }
            all.forEach(Probe::awaitComplete);
        } finally {
            scheduler.dispose();
        }
    }

    /** A subscriber may ask from any thread, also from several at once. */
    @Test
    default void demandFromManyThreads(Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("askers");
        Source source = Source.of(Sizes.TINY);
        Probe<Message> received = Probe.of(0, source.parcels().checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);

        CountDownLatch done = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            new Thread(() -> {
                        for (int n = 0; n < 5_000; n++) {
                            received.request(1);
                        }
                        done.countDown();
                    })
                    .start();
        }
        Patience.await("all have asked", done);

        assertThat(received.awaitReceived(20_000).received()).isEqualTo(20_000);
        received.cancel();
        sent.awaitComplete();
    }
}
