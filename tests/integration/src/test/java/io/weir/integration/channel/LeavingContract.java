package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Channel;
import io.weir.core.Message;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Sizes;
import io.weir.integration.Source;
import io.weir.tck.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** How connections and nodes end: what was sent arrives, everything else fails with the name of who has left. */
interface LeavingContract extends OnRoute {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    default void aConnectionIsClosed(boolean byNear, Nodes nodes) {
        Pair pair = nodes.pair();
        Traffic traffic = new Traffic(pair);

        (byNear ? pair.peer() : pair.back()).close().block(Patience.LIMIT);

        traffic.awaitLoss(
                byNear ? "closed here" : "has left: closed by its user",
                byNear ? "has left: closed by its user" : "closed here");
        Patience.until(
                "nobody is connected",
                () -> pair.near().connected().isEmpty()
                        && pair.far().connected().isEmpty());
        // They may connect again.
        Pair again = nodes.connect(pair.near(), pair.far());
        again.settle();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    default void aNodeIsClosed(boolean near, Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.drainTimeout(Duration.ofMillis(200)));
        Traffic traffic = new Traffic(pair);

        (near ? pair.near() : pair.far()).close().block(Patience.LIMIT);

        traffic.awaitLoss(near ? "closed here" : "has left", near ? "has left" : "closed here");
        assertThat((near ? pair.near() : pair.far()).connected()).isEmpty();
        Patience.until(
                "the other one knows",
                () -> (near ? pair.far() : pair.near()).connected().isEmpty());
    }

    @Test
    default void bothAreClosedAtOnce(Nodes nodes) {
        for (int round = 0; round < 10; round++) {
            Pair pair = nodes.pair(spec -> spec.drainTimeout(Duration.ofMillis(50)));
            Traffic traffic = new Traffic(pair);

            Flux.merge(
                            pair.near().close().subscribeOn(Schedulers.parallel()),
                            pair.far().close().subscribeOn(Schedulers.parallel()))
                    .blockLast(Patience.LIMIT);

            traffic.awaitLoss("", "");
        }
    }

    /** What was handed over before is delivered, and with it the end of its half. */
    @ParameterizedTest
    @ValueSource(strings = {"TINY", "MIXED", "LONG"})
    default void whatWasHandedOverIsDelivered(String what, Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("last words");
        Sizes sizes = Sizes.valueOf(what);
        Parcels parcels = new Parcels(Seed.of("last words"), sizes);
        int count = sizes == Sizes.LONG ? 3 : 250;
        Probe<Message> received = Probe.of(Long.MAX_VALUE, parcels.checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        Source source = new Source(parcels);
        ends.near().send(source.flux(count)).subscribe(sent);
        source.awaitEmitted(count);

        pair.near().close().block(Patience.LIMIT);

        assertThat(received.awaitComplete().received()).isEqualTo(count);
        sent.awaitComplete();
    }

    /** Who has completed sending may leave at once; the slow receiver still gets everything. */
    @Test
    default void whatWasSentReachesASlowReceiver(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("slow");
        Parcels parcels = new Parcels(Seed.of("slow"), Sizes.MIXED);
        Probe<Message> received = Probe.of(1, parcels.checker());
        ends.far().receive().subscribe(received);
        ends.near().send(parcels.flux(100)).block(Patience.LIMIT);

        pair.peer().close().block(Patience.LIMIT);

        Patience.until("the far node knows", () -> pair.far().connected().isEmpty());
        for (int i = 1; i < 100; i++) {
            received.request(1);
            received.awaitReceived(i + 1);
        }
        received.awaitComplete();
    }

    /** What has come whole waits for whoever asks, but not longer than the node that holds it. */
    @Test
    default void whatNobodyAskedForEndsWithItsNode(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("unread");
        Probe<Message> received = Probe.releasing(1);
        ends.far().receive().subscribe(received);
        ends.near().send(new Parcels(Seed.of("unread"), Sizes.TINY).flux(20)).block(Patience.LIMIT);
        pair.peer().close().block(Patience.LIMIT);
        Patience.until("the far node knows", () -> pair.far().connected().isEmpty());

        pair.far().close().block(Patience.LIMIT);

        assertThat(received.awaitError())
                .isInstanceOf(SessionLost.class)
                .hasMessageContaining("before everything that had come was asked for");
    }

    /** A peer that takes nothing does not keep a node from closing. */
    @Test
    default void aStalledPeerDoesNotHoldUpClosing(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.drainTimeout(Duration.ofMillis(100)));
        Pair.Ends ends = pair.open("stalled");
        Source source = Source.of(Sizes.FRAME);
        Probe<Message> received = Probe.releasing(0);
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(source.endless()).subscribe(sent);
        pair.settle();

        StepVerifier.create(pair.near().close()).expectComplete().verify(Patience.LIMIT);

        assertThat(sent.awaitError()).isInstanceOf(SessionLost.class);
        assertThat(received.awaitError()).isInstanceOf(SessionLost.class);
        source.awaitCancelled();
    }

    /** A handler runs on the loop that closing ends. */
    @Test
    default void aHandlerClosesItsNode(Nodes nodes) {
        Pair pair = nodes.pair();
        CountDownLatch closed = new CountDownLatch(2);
        var peer = pair.far().serve("bye", channel -> channel.peer().close().doFinally(signal -> closed.countDown()));
        var unused = pair.far().serve("good night", channel -> {
            var closing = pair.far().close().subscribe(nothing -> {}, error -> {}, closed::countDown);
            return Mono.never();
        });

        StepVerifier.create(pair.peer().exchange("bye", Flux.never()))
                .expectError(SessionLost.class)
                .verify(Patience.LIMIT);
        Pair again = nodes.connect(pair.near(), pair.far());
        StepVerifier.create(again.peer().exchange("good night", Flux.never()))
                .expectError(SessionLost.class)
                .verify(Patience.LIMIT);
        Patience.await("both were closed", closed);
    }

    /** Channels, asks and openings of a pair in all states, in both directions. */
    final class Traffic {

        private final List<Probe<?>> atNear = new ArrayList<>();
        private final List<Probe<?>> atFar = new ArrayList<>();
        private final List<Source> sources = new ArrayList<>();
        private final Pair pair;
        private final Probe<Channel> waiting = Probe.of(1, channel -> {});

        Traffic(Pair pair) {
            this.pair = pair;
            var never = pair.far().answer("never", message -> {
                message.release();
                return Mono.never();
            });
            pair.back();
            pair.far().accept("closed door").subscribe(Probe.of(0, channel -> {}));
            for (int i = 0; i < 5; i++) {
                Pair.Ends ends = pair.open("traffic");
                both(ends.near(), atNear);
                both(ends.far(), atFar);
                ask(i);
            }
            // One that is open and idle, one that nobody has touched, one that awaits its acceptance, one that stands
            // still.
            Pair.Ends idle = pair.open("idle");
            receive(idle.near(), atNear, Long.MAX_VALUE);
            receive(idle.far(), atFar, Long.MAX_VALUE);
            pair.open("untouched");
            pair.peer().channel("closed door").subscribe(waiting);
            Pair.Ends stalled = pair.open("stalled");
            send(stalled.near(), atNear, Sizes.LONG);
            receive(stalled.far(), atFar, 0);
            sources.subList(0, 10).forEach(source -> source.awaitEmitted(300));
            sources.forEach(Source::awaitSubscribed);
        }

        private void both(Channel channel, List<Probe<?>> at) {
            receive(channel, at, Long.MAX_VALUE);
            send(channel, at, Sizes.MIXED);
        }

        private void receive(Channel channel, List<Probe<?>> at, long demand) {
            Probe<Message> probe = Probe.releasing(demand);
            channel.receive().subscribe(probe);
            at.add(probe);
        }

        private void send(Channel channel, List<Probe<?>> at, Sizes sizes) {
            Source source = Source.of(sizes);
            Probe<Void> probe = Probe.end();
            channel.send(source.endless()).subscribe(probe);
            at.add(probe);
            sources.add(source);
        }

        private void ask(int i) {
            Probe<Message> probe = Probe.releasing(1);
            pair.peer().ask("never", source(i)).subscribe(probe);
            atNear.add(probe);
        }

        private static Message source(int i) {
            return Source.of(Sizes.MIXED).parcels().message(i);
        }

        /** Everything ends with an error that names the other node and says this. */
        void awaitLoss(String near, String far) {
            atNear.forEach(probe -> lost(probe, pair.far().id().toString(), near));
            atFar.forEach(probe -> lost(probe, pair.near().id().toString(), far));
            sources.forEach(Source::awaitCancelled);
            // A node that closes serves its ports no longer, before it says goodbye.
            assertThat(waiting.awaitError())
                    .isInstanceOfAny(SessionLost.class, Refused.class)
                    .hasMessageContaining(pair.far().id().toString());
        }

        private static void lost(Probe<?> probe, String name, String how) {
            assertThat(probe.awaitError())
                    .isInstanceOf(SessionLost.class)
                    .isInstanceOf(WeirException.Retryable.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining(how);
        }
    }
}
