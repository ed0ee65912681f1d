package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.config.Repath;
import io.weir.core.Message;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Sizes;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** A session that changes its path while streams flow in both directions: nothing is lost, doubled or out of order. */
@Tag("one-jdk")
class RepathTest implements OnRoute {

    private static final UnaryOperator<NodeSpec.Builder> BOTH =
            spec -> spec.order("shm", "tcp").repathProbation(Duration.ofMillis(10));

    private static String path(PathDecision decision) {
        return decision.chosen().map(PathDecision.Attempt::path).orElse("none");
    }

    private static String path(Peer peer) {
        return path(peer.path());
    }

    /** Every decision about a peer, from the first one on. */
    private static final class Moves {

        private final List<PathDecision> all = new CopyOnWriteArrayList<>();

        Moves(Peer peer) {
            peer.paths().subscribe(all::add);
        }

        int count() {
            return all.size();
        }

        /** Waits until it has come to this path again, after so many decisions. */
        void await(int before, String path) {
            Patience.until(
                    () -> path + " after " + before + " of " + all,
                    () -> all.size() > before && path(all.get(all.size() - 1)).equals(path));
        }
    }

    @Test
    void fallsAndClimbsBack(Nodes nodes) {
        Pair pair = Echoed.pair(nodes, BOTH, BOTH);
        assertThat(path(pair.peer())).isEqualTo("shm");
        Echoed small = new Echoed(pair, 1, Sizes.TINY);
        Echoed mixed = new Echoed(pair, 2, Sizes.MIXED);
        Moves moves = new Moves(pair.peer());
        for (int round = 0; round < 6; round++) {
            small.goesOn();
            mixed.goesOn();
            int before = moves.count();
            (round % 2 == 0 ? pair.peer() : pair.back()).cut().block(Patience.LIMIT);
            small.goesOn();
            mixed.goesOn();
            moves.await(before + 1, "shm");
        }
        small.end();
        mixed.end();
        PathDecision last = pair.peer().path();
        assertThat(last.cause()).isEqualTo("it stands before tcp");
        PathDecision fall =
                pair.peer().pathHistory().get(pair.peer().pathHistory().size() - 2);
        assertThat(fall.line()).contains("over tcp").contains("because shm was lost: ");
        assertThat(path(pair.back())).isEqualTo("shm");
        assertThat(pair.near().stats().get(0).moves()).isEqualTo(moves.count() - 1);
    }

    /** At any moment: also while it is moving. */
    @Test
    void isCutAgainAndAgain(Nodes nodes) {
        Pair pair = Echoed.pair(nodes, BOTH, BOTH);
        Echoed small = new Echoed(pair, 8, Sizes.TINY);
        Echoed mixed = new Echoed(pair, 9, Sizes.MIXED);
        for (int round = 0; round < 60; round++) {
            Peer cutter = round % 3 == 0 ? pair.back() : pair.peer();
            var unused = pair.peer().moveTo("shm").onErrorComplete().block(Patience.LIMIT);
            for (int spin = round * 2_000; spin > 0; spin--) {
                Thread.onSpinWait();
            }
            cutter.cut().onErrorComplete().block(Patience.LIMIT);
        }
        small.goesOn();
        mixed.goesOn();
        small.end();
        mixed.end();
        assertThat(pair.near().stats().get(0).moves()).isPositive();
    }

    @Test
    void goesWhereItIsTold(Nodes nodes) {
        // What is under way is read before the move is over, which takes long with leak detection.
        UnaryOperator<NodeSpec.Builder> small = BOTH.andThen(spec -> spec.windowItems(256))::apply;
        Pair pair = Echoed.pair(nodes, small, small);
        Echoed tiny = new Echoed(pair, 3, Sizes.TINY);
        Echoed mixed = new Echoed(pair, 4, Sizes.MIXED);
        for (int round = 0; round < 20; round++) {
            String path = round % 2 == 0 ? "tcp" : "shm";
            tiny.goesOn();
            mixed.goesOn();
            Peer peer = pair.peer();
            PathDecision decision = Objects.requireNonNull(
                    Mono.defer(() -> peer.moveTo(path)).retryWhen(soon()).block(Patience.LIMIT));
            assertThat(decision.chosen().orElseThrow().path()).isEqualTo(path);
            assertThat(decision.cause()).isEqualTo("an operator wants it");
        }
        tiny.end();
        mixed.end();
    }

    /** The other side may have closed it before the move is over here. */
    @Test
    void leavesAPathThatGivesNothingBack(Nodes nodes) {
        UnaryOperator<NodeSpec.Builder> local =
                spec -> spec.order("local", "tcp").windowItems(256);
        Pair pair = Echoed.pair(nodes, local, local);
        Echoed tiny = new Echoed(pair, 5, Sizes.TINY);
        Echoed mixed = new Echoed(pair, 6, Sizes.MIXED);
        for (int round = 0; round < 20; round++) {
            String path = round % 2 == 0 ? "tcp" : "local";
            tiny.goesOn();
            mixed.goesOn();
            PathDecision decision = Objects.requireNonNull(
                    Mono.defer(() -> pair.peer().moveTo(path)).retryWhen(soon()).block(Patience.LIMIT));
            assertThat(path(decision)).isEqualTo(path);
        }
        tiny.end();
        mixed.end();
    }

    /** Who is just moving says so, and is asked again. */
    private static Retry soon() {
        return Retry.fixedDelay(1000, Duration.ofMillis(1))
                .filter(error -> String.valueOf(error.getMessage()).contains("try again")
                        || String.valueOf(error.getMessage()).contains("not ended yet"));
    }

    @Test
    void longMessagesGoOnInTheMiddle(Nodes nodes) {
        Pair pair = Echoed.pair(nodes, BOTH, BOTH);
        Echoed stream = new Echoed(pair, 5, Sizes.LONG);
        Moves moves = new Moves(pair.peer());
        for (int round = 0; round < 6; round++) {
            long received = stream.received();
            int before = moves.count();
            pair.peer().cut().block(Patience.LIMIT);
            moves.await(before + 1, "shm");
            stream.awaitReceived(received + 2);
        }
        stream.end();
    }

    @Test
    void whatHasOnePathOpensItAnew(Nodes nodes) {
        UnaryOperator<NodeSpec.Builder> required = BOTH.andThen(spec -> spec.path("shm", PathSwitch.REQUIRED))::apply;
        Pair pair = Echoed.pair(nodes, required, BOTH);
        Echoed stream = new Echoed(pair, 6, Sizes.MIXED);
        for (int round = 0; round < 5; round++) {
            stream.goesOn();
            int before = pair.peer().pathHistory().size();
            pair.peer().cut().block(Patience.LIMIT);
            Patience.until("it moves", () -> pair.peer().pathHistory().size() == before + 1);
        }
        stream.end();
        assertThat(pair.peer().pathHistory())
                .allMatch(decision -> decision.chosen().orElseThrow().path().equals("shm"));
    }

    @Test
    void staysWhereItFellIfItMayMoveOnce(Nodes nodes) {
        UnaryOperator<NodeSpec.Builder> once = BOTH.andThen(spec -> spec.repath(Repath.ONCE))::apply;
        Pair pair = Echoed.pair(nodes, once, BOTH);
        Echoed stream = new Echoed(pair, 7, Sizes.MIXED);
        Moves moves = new Moves(pair.peer());
        pair.peer().cut().block(Patience.LIMIT);
        moves.await(1, "tcp");
        for (int round = 0; round < 10; round++) {
            stream.goesOn();
        }
        stream.end();
        assertThat(path(pair.peer())).isEqualTo("tcp");
        StepVerifier.create(pair.peer().cut()).expectError(Refused.class).verify(Patience.LIMIT);
    }

    @Test
    void endsWithItsPathIfItMayNotMove(Nodes nodes) {
        UnaryOperator<NodeSpec.Builder> never = BOTH.andThen(spec -> spec.repath(Repath.OFF))::apply;
        Pair pair = nodes.pair(never, BOTH);
        Pair.Ends ends = pair.open("x");
        Probe<Message> near = Probe.releasing(1);
        Probe<Message> far = Probe.releasing(1);
        ends.near().receive().subscribe(near);
        ends.far().receive().subscribe(far);

        pair.peer().cut().block(Patience.LIMIT);

        assertThat(near.awaitError()).isInstanceOf(SessionLost.class).hasMessageContaining("cut on purpose");
        assertThat(far.awaitError()).isInstanceOf(SessionLost.class);
    }

    /** What send has completed for arrives, though the link breaks and the node closes before anybody has read it. */
    @Test
    void closingWaitsForWhatGoesAgain(Nodes nodes) {
        for (int round = 0; round < 5; round++) {
            Pair pair = nodes.pair(BOTH, BOTH);
            Pair.Ends ends = pair.open("x");
            Parcels parcels = new Parcels(round, Sizes.TINY);
            Probe<Message> received = Probe.of(Long.MAX_VALUE, parcels.checker());
            Probe<Void> sent = Probe.end();
            ends.far().receive().subscribe(received);
            ends.near().send(parcels.flux(2000)).subscribe(sent);
            received.awaitReceived(1);
            pair.back().cut().block(Patience.LIMIT);
            sent.awaitComplete();

            pair.near().close().block(Patience.LIMIT);

            received.awaitComplete();
            assertThat(received.received()).isEqualTo(2000);
        }
    }

    /** Whoever of both has connected. */
    @Test
    void goesWhereThePeerWantsIt(Nodes nodes) {
        Pair pair = Echoed.pair(nodes, BOTH, BOTH);
        Echoed stream = new Echoed(pair, 11, Sizes.TINY);
        for (String path : List.of("tcp", "shm", "shm", "tcp")) {
            stream.goesOn();
            boolean moves = !path(pair.back()).equals(path);
            PathDecision decision = Objects.requireNonNull(
                    Mono.defer(() -> pair.back().moveTo(path)).retryWhen(soon()).block(Patience.LIMIT));
            assertThat(path(decision)).isEqualTo(path);
            assertThat(decision).isEqualTo(pair.back().path());
            assertThat(path(pair.peer())).isEqualTo(path);
            if (moves) {
                assertThat(pair.peer().path().cause())
                        .isEqualTo("an operator at " + pair.far().id().name() + " wants it");
            }
        }
        // It stays there: what an operator wants is not left for something better.
        int decisions = pair.peer().pathHistory().size();
        stream.goesOn();
        stream.end();
        assertThat(pair.peer().pathHistory()).hasSize(decisions);
    }

    @Test
    void isNotMovedWhereThatIsOff(Nodes nodes) {
        UnaryOperator<NodeSpec.Builder> never = BOTH.andThen(spec -> spec.repath(Repath.OFF))::apply;
        Pair near = nodes.pair(never, BOTH);
        StepVerifier.create(near.peer().moveTo("tcp"))
                .expectErrorSatisfies(error -> assertThat(error).hasMessageContaining("weir.repath"))
                .verify(Patience.LIMIT);
        Pair far = nodes.pair(BOTH, never);
        StepVerifier.create(far.peer().moveTo("tcp"))
                .expectErrorSatisfies(error -> assertThat(error).hasMessageContaining("weir.repath"))
                .verify(Patience.LIMIT);
        assertThat(path(far.peer())).isEqualTo("shm");
    }

    /** Who hears of a move may cut it at once, on the very loop that makes it. */
    @Test
    void isCutByWhoHearsOfIt(Nodes nodes) {
        Pair pair = Echoed.pair(nodes, BOTH, BOTH);
        Echoed stream = new Echoed(pair, 10, Sizes.MIXED);
        AtomicBoolean cut = new AtomicBoolean();
        pair.peer()
                .paths()
                .filter(decision -> path(decision).equals("shm"))
                .skip(1)
                .subscribe(decision -> {
                    if (cut.compareAndSet(false, true)) {
                        pair.peer().cut().subscribe();
                    }
                });
        pair.peer().cut().block(Patience.LIMIT);
        Patience.until("it was cut again", cut::get);
        stream.goesOn();
        Patience.until(
                () -> "shm, not " + pair.peer().pathHistory(),
                () -> path(pair.peer()).equals("shm"));
        stream.goesOn();
        stream.end();
    }

    @Test
    void saysWhyItCanNotMove(Nodes nodes) {
        Pair pair = nodes.pair(BOTH, BOTH);
        StepVerifier.create(pair.peer().moveTo("verbs"))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Refused.class)
                        .hasMessageContaining("verbs")
                        .hasMessageContaining(pair.far().id().toString()))
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.back().moveTo("verbs"))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Refused.class)
                        .hasMessageContaining("path verbs is not ready here"))
                .verify(Patience.LIMIT);
        StepVerifier.create(Flux.just("shm").flatMap(pair.peer()::moveTo))
                .expectNext(pair.peer().path())
                .expectComplete()
                .verify(Patience.LIMIT);
    }
}
