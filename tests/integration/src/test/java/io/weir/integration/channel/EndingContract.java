package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Channel;
import io.weir.core.Message;
import io.weir.core.MessageTooLarge;
import io.weir.core.RemoteFailure;
import io.weir.core.SessionLost;
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
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** How halves and channels end, from either side, in good order or not; and each signal once. */
interface EndingContract extends OnRoute {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    default void eachHalfEndsOnItsOwn(boolean nearFirst, Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("halves");
        Channel first = nearFirst ? ends.near() : ends.far();
        Channel second = nearFirst ? ends.far() : ends.near();
        Parcels parcels = new Parcels(Seed.of("halves"), Sizes.MIXED);
        Probe<Message> atFirst = Probe.of(Long.MAX_VALUE, parcels.checker());
        Probe<Message> atSecond = Probe.of(Long.MAX_VALUE, parcels.checker());
        first.receive().subscribe(atFirst);
        second.receive().subscribe(atSecond);

        Probe<Void> firstSent = Probe.end();
        first.sendDelivered(parcels.flux(10)).subscribe(firstSent);
        firstSent.awaitComplete();
        assertThat(atSecond.awaitComplete().received()).isEqualTo(10);
        assertThat(atFirst.ended()).isFalse();

        Probe<Void> secondSent = Probe.end();
        second.sendDelivered(parcels.flux(1_000)).subscribe(secondSent);
        secondSent.awaitComplete();
        assertThat(atFirst.awaitComplete().received()).isEqualTo(1_000);
    }

    @Test
    default void whoReceivesCancels(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("cancel");
        Source source = Source.of(Sizes.MIXED);
        Probe<Message> received = Probe.of(100, source.parcels().checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);
        received.awaitReceived(100);

        received.cancel();

        source.awaitCancelled();
        sent.awaitComplete();
        assertThat(source.cancels()).isEqualTo(1);
        // The other half does not care.
        Probe<Message> back = Probe.releasing(Long.MAX_VALUE);
        ends.near().receive().subscribe(back);
        Probe<Void> answered = Probe.end();
        ends.far().sendDelivered(source.parcels().flux(100)).subscribe(answered);
        answered.awaitComplete();
        assertThat(back.awaitComplete().received()).isEqualTo(100);
        pair.settle();
        assertThat(received.check().ended()).isFalse();
    }

    @Test
    default void whoSendsCancels(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("cancelled");
        Source source = Source.of(Sizes.MIXED);
        Source back = Source.of(Sizes.MIXED);
        Probe<Message> received = Probe.releasing(Long.MAX_VALUE);
        ends.far().receive().subscribe(received);
        Probe<Void> answering = Probe.end();
        ends.far().send(back.endless()).subscribe(answering);
        Probe<Message> answers = Probe.releasing(Long.MAX_VALUE);
        ends.near().receive().subscribe(answers);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);
        received.awaitReceived(50);
        answers.awaitReceived(50);

        sent.cancel();

        source.awaitCancelled();
        assertThat(received.awaitError())
                .isInstanceOf(RemoteFailure.class)
                .hasMessageContaining("the sender has cancelled")
                .hasMessageContaining(pair.near().id().toString());
        assertThat(answering.awaitError()).isInstanceOf(RemoteFailure.class);
        back.awaitCancelled();
        assertThat(answers.awaitError()).isInstanceOf(CancellationException.class);
        pair.settle();
        assertThat(sent.check().ended()).isFalse();
    }

    @Test
    default void whatFailsTheSourceIsToldToThePeer(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("source fails");
        Source back = Source.of(Sizes.MIXED);
        Probe<Message> received = Probe.releasing(Long.MAX_VALUE);
        ends.far().receive().subscribe(received);
        Probe<Void> answering = Probe.end();
        ends.far().send(back.endless()).subscribe(answering);
        Probe<Message> answers = Probe.releasing(Long.MAX_VALUE);
        ends.near().receive().subscribe(answers);
        answers.awaitReceived(100);

        IllegalStateException cause = new IllegalStateException("the well is dry");
        Probe<Void> sent = Probe.end();
        ends.near()
                .send(Flux.concat(back.parcels().flux(20), Mono.error(cause)))
                .subscribe(sent);

        assertThat(sent.awaitError()).isSameAs(cause);
        assertThat(answers.awaitError()).isSameAs(cause);
        Throwable there = received.awaitError();
        assertThat(there)
                .isInstanceOf(RemoteFailure.class)
                .hasMessageContaining("IllegalStateException: the well is dry")
                .hasMessageContaining(pair.near().id().toString());
        assertThat(received.received()).isEqualTo(20);
        assertThat(answering.awaitError()).isInstanceOf(RemoteFailure.class);
        back.awaitCancelled();
        pair.settle();
    }

    @Test
    default void aHandlerThatFailsIsToldToThePeer(Nodes nodes) {
        Pair pair = nodes.pair();
        pair.far()
                .serve(
                        "late",
                        channel -> channel.receive()
                                .doOnNext(Message::release)
                                .take(10)
                                .then(Mono.error(new IllegalArgumentException("ten is enough"))));
        pair.far().serve("early", channel -> {
            throw new IllegalArgumentException("not today");
        });
        pair.far().serve("nothing", channel -> null);

        assertThat(failureOf(pair, "late")).hasMessageContaining("IllegalArgumentException: ten is enough");
        assertThat(failureOf(pair, "early")).hasMessageContaining("IllegalArgumentException: not today");
        assertThat(failureOf(pair, "nothing")).hasMessageContaining("the handler of port 'nothing' yields null");
        pair.settle();
    }

    private static Throwable failureOf(Pair pair, String port) {
        Source source = Source.of(Sizes.TINY);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        StepVerifier.create(pair.peer().exchange(port, source.flux(Long.MAX_VALUE)))
                .consumeErrorWith(failure::set)
                .verify(Patience.LIMIT);
        Patience.until("the source was left", () -> source.cancels() == source.subscriptions());
        assertThat(failure.get()).isInstanceOf(RemoteFailure.class);
        return failure.get();
    }

    /** A subscriber that throws breaks the rules; its channel fails, and nothing else does. */
    @Test
    default void aSubscriberThatThrowsFailsItsChannel(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("throws");
        Source source = Source.of(Sizes.TINY);
        Probe<Message> received = Probe.of(Long.MAX_VALUE, message -> {
            message.release();
            throw new IllegalStateException("no appetite");
        });
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);

        assertThat(sent.awaitError()).isInstanceOf(RemoteFailure.class).hasMessageContaining("no appetite");
        assertThat(received.awaitError()).hasMessage("no appetite");
        assertThat(received.received()).isEqualTo(1);
        pair.settle();
    }

    @Test
    default void aChannelSendsOnceAndIsReceivedOnce(Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("once");
        Probe<Message> received = Probe.releasing(Long.MAX_VALUE);
        ends.far().receive().subscribe(received);
        Source source = Source.of(Sizes.TINY);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.flux(10).concatWith(Flux.never())).subscribe(sent);
        received.awaitReceived(10);

        Source second = Source.of(Sizes.TINY);
        StepVerifier.create(ends.near().send(second.flux(10)))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("sent already"))
                .verify(Patience.LIMIT);
        StepVerifier.create(ends.far().receive())
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("receiver"))
                .verify(Patience.LIMIT);

        assertThat(second.subscriptions()).isZero();
        assertThat(sent.ended()).isFalse();
        assertThat(received.check().ended()).isFalse();
        sent.cancel();
        received.awaitError();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    default void demandMustBePositive(long demand, Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("demand");
        Source source = Source.of(Sizes.TINY);
        Probe<Message> received = Probe.releasing(10);
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);
        received.awaitReceived(10);

        received.request(demand);

        assertThat(received.awaitError())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3.9");
        sent.awaitComplete();
        source.awaitCancelled();
    }

    @Test
    default void aSourceThatEmitsUnaskedFails(Nodes nodes) {
        Pair.Ends ends = nodes.pair(spec -> spec.initialItems(0)).open("unasked");
        Probe<Message> received = Probe.releasing(0);
        ends.far().receive().subscribe(received);
        Parcels parcels = new Parcels(1, Sizes.TINY);
        Probe<Void> sent = Probe.end();
        ends.near()
                .send(subscriber -> {
                    subscriber.onSubscribe(new Idle());
                    subscriber.onNext(parcels.message(0));
                })
                .subscribe(sent);

        assertThat(sent.awaitError()).isInstanceOf(IllegalStateException.class).hasMessageContaining("1.1");
        assertThat(received.awaitError()).isInstanceOf(RemoteFailure.class);
    }

    @Test
    default void aMessageThatIsTooLongFailsAtTheSender(Nodes nodes) {
        Pair.Ends ends = nodes.pair(spec -> spec.maxMessage(100_000)).open("too long");
        Probe<Message> received = Probe.releasing(Long.MAX_VALUE);
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near()
                .send(Flux.just(100_000, 100_001)
                        .map(size -> Message.of(Payloads.heap(size).writeZero(size))))
                .subscribe(sent);

        assertThat(sent.awaitError())
                .isInstanceOf(MessageTooLarge.class)
                .hasMessageContaining("100001")
                .hasMessageContaining("weir.message.max");
        assertThat(received.awaitError()).isInstanceOf(RemoteFailure.class);
        assertThat(received.received()).isEqualTo(1);
    }

    /** Reactor hands such an error on to whoever has called. Nobody may go on behind the message that it was about. */
    @Test
    default void aSubscriberThatFailsFatallyFailsItsChannel(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("fatal");
        AtomicInteger seen = new AtomicInteger();
        Probe<Message> received = Probe.releasing(Long.MAX_VALUE);
        ends.far()
                .receive()
                .doOnNext(message -> {
                    if (seen.incrementAndGet() == 5) {
                        message.release();
                        throw new StackOverflowError("made up");
                    }
                })
                .subscribe(received);
        Source source = Source.of(Sizes.MIXED);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);

        assertThat(received.awaitError()).isInstanceOf(StackOverflowError.class).hasMessage("made up");
        assertThat(sent.awaitError()).isInstanceOf(RemoteFailure.class).hasMessageContaining("made up");
        source.awaitCancelled();
        assertThat(seen).hasValue(5);
        pair.settle();
    }

    /** As above, at the other side: when it is subscribed to, when it is asked, and behind what it has sent. */
    @Test
    default void aSourceThatFailsFatallyFailsItsChannel(Nodes nodes) {
        Pair pair = nodes.pair();
        Error fatal = new StackOverflowError("made up");
        List<Flux<Message>> sources = List.of(
                Flux.defer(() -> {
                    throw fatal;
                }),
                Flux.generate(sink -> {
                    throw fatal;
                }),
                Flux.range(0, 5).map(number -> {
                    if (number == 4) {
                        throw fatal;
                    }
                    return Payloads.text("?");
                }));
        for (Flux<Message> source : sources) {
            Pair.Ends ends = pair.open("fatal source " + sources.indexOf(source));
            Probe<Message> received = Probe.releasing(Long.MAX_VALUE);
            ends.far().receive().subscribe(received);
            Probe<Void> sent = Probe.end();
            ends.near().send(source).subscribe(sent);

            assertThat(sent.awaitError()).isSameAs(fatal);
            assertThat(received.awaitError()).isInstanceOf(RemoteFailure.class).hasMessageContaining("made up");
            assertThat(received.received()).isEqualTo(source == sources.get(2) ? 4 : 0);
        }
        pair.settle();
    }

    /** The receiver's limit may be lower than the sender's: that fails the channel with a name, not the connection. */
    @ParameterizedTest
    @CsvSource({"2000, 65536", "100000, 65536", "100000, 4194304"})
    default void aMessageThatIsTooLongForThePeerFailsItsChannel(int longest, long window, Nodes nodes) {
        Pair pair = nodes.pair(
                spec -> spec,
                spec -> spec.maxMessage(longest).windowBytes(window).nodeBytes(1 << 20));
        Pair.Ends ends = pair.open("too long there");
        Probe<Message> received = Probe.releasing(Long.MAX_VALUE);
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near()
                .send(Flux.just(longest, longest + 1)
                        .map(size -> Message.of(Payloads.heap(size).writeZero(size)))
                        .concatWith(Flux.never()))
                .subscribe(sent);

        assertThat(sent.awaitError()).isInstanceOf(MessageTooLarge.class).hasMessageContaining("weir.message.max");
        assertThat(received.awaitError()).isInstanceOf(MessageTooLarge.class);
        assertThat(received.received()).isEqualTo(1);
        pair.settle();
    }

    @Test
    default void closeEndsBothHalves(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("close");
        Source source = Source.of(Sizes.MIXED);
        Source back = Source.of(Sizes.MIXED);
        Probe<Message> received = Probe.of(Long.MAX_VALUE, source.parcels().checker());
        ends.far().receive().subscribe(received);
        Probe<Void> answering = Probe.end();
        ends.far().send(back.endless()).subscribe(answering);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);
        received.awaitReceived(100);

        StepVerifier.create(ends.near().close()).expectComplete().verify(Patience.LIMIT);

        sent.awaitComplete();
        source.awaitCancelled();
        received.awaitComplete();
        assertThat(received.received()).isEqualTo(source.emitted());
        back.awaitCancelled();
        answering.awaitComplete();
        StepVerifier.create(ends.near().close()).expectComplete().verify(Patience.LIMIT);
        StepVerifier.create(ends.far().close()).expectComplete().verify(Patience.LIMIT);
    }

    @Test
    default void closeOfAnUnusedChannel(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("unused");
        Probe<Message> received = Probe.releasing(0);
        ends.far().receive().subscribe(received);

        StepVerifier.create(ends.near().close()).expectComplete().verify(Patience.LIMIT);

        assertThat(received.awaitComplete().received()).isZero();
        Source source = Source.of(Sizes.TINY);
        StepVerifier.create(ends.far().send(source.endless())).expectComplete().verify(Patience.LIMIT);
        assertThat(source.cancels()).isEqualTo(source.subscriptions());
        Patience.until(
                () -> "the channel is forgotten: " + pair.near().stats(),
                () -> pair.stats().channels() == 0);
    }

    /** {@code sendDelivered} tells the truth about what the peer's subscriber has had. */
    @Test
    default void deliveredIsMoreThanSent(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("delivered");
        Source source = Source.of(Sizes.TINY);
        Probe<Void> delivered = Probe.end();
        ends.near().sendDelivered(source.flux(10)).subscribe(delivered);
        source.awaitEmitted(10);
        pair.settle();
        assertThat(delivered.ended()).isFalse();

        Probe<Message> received = Probe.of(9, source.parcels().checker());
        ends.far().receive().subscribe(received);
        received.awaitReceived(9);
        pair.settle();
        assertThat(delivered.ended()).isFalse();

        received.request(1);
        received.awaitComplete();
        delivered.awaitComplete();
    }

    /** The peer's other half may be over before. */
    @Test
    default void deliveredAfterThePeerHasEndedItsHalf(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("delivered late");
        Probe<Message> back = Probe.releasing(Long.MAX_VALUE);
        ends.near().receive().subscribe(back);
        Probe<Void> farSent = Probe.end();
        ends.far().send(Flux.empty()).subscribe(farSent);
        farSent.awaitComplete();
        back.awaitComplete();

        Source source = Source.of(Sizes.TINY);
        Probe<Void> delivered = Probe.end();
        ends.near().sendDelivered(source.flux(10)).subscribe(delivered);
        source.awaitEmitted(10);
        pair.settle();
        assertThat(delivered.ended()).isFalse();
        Probe<Message> received = Probe.of(Long.MAX_VALUE, source.parcels().checker());
        ends.far().receive().subscribe(received);

        received.awaitComplete();
        delivered.awaitComplete();
    }

    /** Who cancels has had what he wanted, also when the end had come already. */
    @Test
    default void deliveredToOneWhoCancels(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("delivered to nobody");
        Source source = Source.of(Sizes.TINY);
        Probe<Message> received = Probe.of(5, source.parcels().checker());
        ends.far().receive().subscribe(received);
        Probe<Void> delivered = Probe.end();
        ends.near().sendDelivered(source.flux(10)).subscribe(delivered);
        received.awaitReceived(5);
        pair.settle();
        assertThat(delivered.ended()).isFalse();

        received.cancel();

        delivered.awaitComplete();
    }

    @Test
    default void deliveredFailsWithThePeer(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("never delivered");
        Source source = Source.of(Sizes.TINY);
        Probe<Void> delivered = Probe.end();
        ends.near().sendDelivered(source.flux(10)).subscribe(delivered);
        source.awaitEmitted(10);
        pair.settle();

        pair.far().close().block(Patience.LIMIT);

        assertThat(delivered.awaitError()).isInstanceOf(SessionLost.class);
    }

    /** Everything at once from both sides: whatever wins, everybody hears one end, and the connection lives. */
    @Test
    default void racesOfEndings(Nodes nodes) {
        Pair pair = nodes.pair();
        SplittableRandom random = Seed.random("races " + route());
        for (int round = 0; round < 300; round++) {
            Race near = new Race(random.split(), "near " + round);
            Race far = new Race(random.split(), "far " + round);
            Pair.Ends ends = pair.open("race");
            near.begin(ends.near());
            far.begin(ends.far());
            Thread other = new Thread(far::act);
            other.start();
            near.act();
            join(other);
            near.end();
            far.end();
            near.finish();
            far.finish();
        }
        pair.settle();
        Patience.until(
                "all channels are forgotten, but " + pair.near().stats(),
                () -> pair.stats().channels() <= 1);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** One side of a channel that does something at a random moment. */
    final class Race {

        private final SplittableRandom random;
        private final String name;
        private final Tap source;
        private final Probe<Void> sent = Probe.end();
        private final Probe<Message> received;
        private final List<String> acts = new ArrayList<>();
        private Channel channel;

        Race(SplittableRandom random, String name) {
            this.random = random;
            this.name = name;
            this.source =
                    new Tap(new Parcels(random.nextLong(), Sizes.MIXED), random.nextInt(3) == 0 ? 20 : Long.MAX_VALUE);
            this.received = Probe.releasing(random.nextInt(4) == 0 ? 5 : Long.MAX_VALUE);
        }

        void begin(Channel its) {
            channel = its;
            its.receive().subscribe(received);
            (random.nextBoolean() ? its.send(source) : its.sendDelivered(source)).subscribe(sent);
        }

        void act() {
            for (int spin = random.nextInt(20_000); spin > 0; spin--) {
                Thread.onSpinWait();
            }
            int acts = random.nextInt(1, 3);
            for (int i = 0; i < acts; i++) {
                one();
            }
        }

        private void one() {
            int what = random.nextInt(6);
            acts.add(Integer.toString(what));
            switch (what) {
                case 0 -> source.complete();
                case 1 -> source.fail(new IllegalStateException("error of " + name));
                case 2 -> sent.cancel();
                case 3 -> received.cancel();
                case 4 -> received.request(3);
                default -> {
                    var unused = channel.close().subscribe();
                }
            }
        }

        void end() {
            received.cancel();
            channel.close().block(Patience.LIMIT);
        }

        /** However it went: after closing, everything is over. */
        void finish() {
            try {
                Patience.until("the source has come to an end", () -> sent.cancelled() || sent.ended());
                Patience.until("the receiver has come to an end", () -> received.cancelled() || received.ended());
                Patience.until(() -> "the source has been left: " + source, source::over);
            } catch (AssertionError e) {
                throw new AssertionError(name + " " + acts, e);
            }
            sent.check();
            received.check();
        }
    }
}
