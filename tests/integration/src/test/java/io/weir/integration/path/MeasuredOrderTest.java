package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.config.PortSpec;
import io.weir.core.Message;
import io.weir.core.PathRequired;
import io.weir.core.PeerAddress;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Relay;
import io.weir.integration.Route;
import io.weir.integration.Sizes;
import io.weir.peer.PathDecision;
import io.weir.peer.PathDecision.Attempt;
import io.weir.peer.PathDecision.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** The fastest path is used where the order is measured: what is found by measuring rules, not what stands first. */
class MeasuredOrderTest implements OnRoute {

    /** One way between two hosts: longer than any turn of a loop within one. */
    private static final Duration FAR = Duration.ofMillis(5);

    private static Node far(Nodes nodes) {
        return nodes.start(Route.any("far").build());
    }

    private static Pair connect(Nodes nodes, NodeSpec.Builder near, Node far, PeerAddress at) {
        Node node = nodes.start(near.build());
        return new Pair(node, far, Objects.requireNonNull(node.connect(at).block(Patience.LIMIT)));
    }

    private static Pair connect(Nodes nodes, NodeSpec.Builder near, Node far) {
        return connect(nodes, near, far, far.address());
    }

    private static NodeSpec.Builder troubled(String name, TroubleTransport.Mode mode) {
        return Route.any(name).transportOption("trouble", "mode", mode.name());
    }

    private static Attempt of(PathDecision decision, String path) {
        return decision.attempts().stream()
                .filter(attempt -> attempt.path().equals(path))
                .findFirst()
                .orElseThrow();
    }

    private static String chosen(PathDecision decision) {
        return decision.chosen().map(Attempt::path).orElse("none");
    }

    private static List<String> paths(PathDecision decision) {
        return decision.attempts().stream().map(Attempt::path).toList();
    }

    /** Whichever stands first: with a network between the two that is slower than the memory of their host. */
    @ParameterizedTest
    @ValueSource(strings = {"measured,tcp,shm", "measured,shm,tcp", "measured"})
    @EnabledOnOs(OS.LINUX)
    void theFastestIsUsed(String order, Nodes nodes) throws IOException {
        Node far = far(nodes);
        try (Relay relay = new Relay(far.address()).distance(FAR);
                LogLines log = new LogLines("io.weir.channel")) {
            NodeSpec.Builder near = Route.any("near").order(order.split(",")).path("local", PathSwitch.OFF);
            Pair pair = connect(nodes, near, far, relay.address());
            pair.settle();

            PathDecision decision = pair.peer().path();
            assertThat(paths(decision)).startsWith("shm", "tcp");
            assertThat(of(decision, "shm").outcome()).isEqualTo(Outcome.CHOSEN);
            assertThat(of(decision, "tcp").outcome()).isEqualTo(Outcome.MEASURED);
            assertThat(of(decision, "tcp").reason()).isEqualTo("shm answered faster");
            assertThat(of(decision, "shm").roundTrip())
                    .isLessThan(of(decision, "tcp").roundTrip());
            assertThat(decision.warnings()).isEmpty();
            assertThat(decision.line())
                    .contains("over shm (round trip ", "; tcp (round trip ", "): shm answered faster");

            PathDecision there = pair.back().path();
            assertThat(chosen(there)).isEqualTo("shm");
            assertThat(of(there, "tcp").outcome()).isEqualTo(Outcome.MEASURED);
            assertThat(there.line()).doesNotContain("tcp");
            assertThat(log.of(Level.INFO)).noneMatch(line -> line.contains("failed"));
            assertThat(log.of(Level.WARN)).isEmpty();
            assertThat(log.of(Level.ERROR)).isEmpty();
        }
    }

    /** Without any distance it is chance which one is faster; the decision fits what has been measured all the same. */
    @Test
    void allOfWeirAreMeasuredWhereNoneAreNamed(Nodes nodes) {
        Pair pair = connect(nodes, Route.any("near").order("measured"), far(nodes));

        PathDecision decision = pair.peer().path();
        List<Attempt> working = decision.attempts().stream()
                .filter(attempt -> attempt.outcome() != Outcome.REJECTED)
                .toList();
        assertThat(working.stream().map(Attempt::path)).contains("local", "tcp");
        assertThat(working.get(0).outcome()).isEqualTo(Outcome.CHOSEN);
        assertThat(working.subList(1, working.size())).allMatch(attempt -> attempt.outcome() == Outcome.MEASURED);
        assertThat(working.stream().map(attempt -> Objects.requireNonNull(attempt.roundTrip())))
                .isSorted();
        assertThat(of(decision, "elan").reason()).contains("not started as one of a parallel job");
        assertThat(decision.warnings()).isEmpty();
        pair.settle();

        PathDecision there = pair.back().path();
        assertThat(there.attempts()).hasSameSizeAs(working);
        assertThat(chosen(there)).isEqualTo(chosen(decision));
        assertThat(there.attempts())
                .filteredOn(attempt -> attempt.outcome() != Outcome.CHOSEN)
                .allMatch(attempt -> attempt.outcome() == Outcome.MEASURED);
    }

    @Test
    void theOrderOfOneConnectionMayBeMeasuredToo(Nodes nodes) {
        Node near = nodes.start(Route.any("near").order("tcp").build());
        Peer peer = Objects.requireNonNull(
                near.connect(far(nodes).address(), new PathPolicy(List.of("measured", "tcp", "local"), Map.of()))
                        .block(Patience.LIMIT));

        assertThat(peer.path().attempts().stream()
                        .filter(attempt -> attempt.outcome() != Outcome.REJECTED)
                        .map(Attempt::outcome))
                .containsExactly(Outcome.CHOSEN, Outcome.MEASURED);
    }

    /** What tcp is measured by is the connection on which its messages would go. */
    @Test
    void tcpIsMeasuredOnItsOwnNetwork(Nodes nodes) throws IOException {
        Node far = nodes.start(Route.any("far")
                .transportOption("tcp", "data-address", "tcp://127.0.0.1:0")
                .build());
        Duration away = Duration.ofMillis(50);
        try (Relay relay = new Relay(far.address()).distance(away)) {
            Pair pair = connect(nodes, Route.any("near").order("measured", "tcp", "local"), far, relay.address());

            assertThat(of(pair.peer().path(), "tcp").roundTrip()).isLessThan(away);
            pair.settle();
        }
    }

    /** It worked when it was measured, and does not when it is to be used. */
    @Test
    void whereTheFastestFailsTheNextOneIsUsed(Nodes nodes) throws IOException {
        Node far = nodes.start(troubled("far", TroubleTransport.Mode.WORKS).build());
        try (Relay relay = new Relay(far.address()).distance(FAR)) {
            Pair pair = connect(
                    nodes,
                    troubled("near", TroubleTransport.Mode.WORKS_ONCE).order("measured", "tcp", "trouble"),
                    far,
                    relay.address());

            PathDecision decision = pair.peer().path();
            assertThat(paths(decision)).startsWith("trouble", "tcp");
            assertThat(chosen(decision)).isEqualTo("tcp");
            assertThat(of(decision, "trouble").outcome()).isEqualTo(Outcome.FAILED);
            assertThat(of(decision, "trouble").reason()).isEqualTo("the boat has left");
            assertThat(of(decision, "trouble").roundTrip())
                    .isLessThan(of(decision, "tcp").roundTrip());
            assertThat(decision.warnings()).isEmpty();
            pair.settle();
        }
    }

    /** Two nodes between which trouble never opens. */
    private static Pair pastWhatHangs(Nodes nodes, UnaryOperator<NodeSpec.Builder> near) {
        return connect(
                nodes,
                near.apply(troubled("near", TroubleTransport.Mode.COMPLETE_NEVER)),
                nodes.start(
                        troubled("far", TroubleTransport.Mode.COMPLETE_NEVER).build()));
    }

    @Test
    void whatHangsWhileItIsMeasuredComesLast(Nodes nodes) {
        Pair pair = pastWhatHangs(
                nodes, near -> near.order("measured", "trouble", "tcp", "local").stepTimeout(Duration.ofSeconds(1)));

        PathDecision decision = pair.peer().path();
        assertThat(chosen(decision)).isIn("tcp", "local");
        assertThat(paths(decision).indexOf("trouble")).isEqualTo(2);
        assertThat(of(decision, "trouble").outcome()).isEqualTo(Outcome.FAILED);
        assertThat(of(decision, "trouble").reason()).isEqualTo("did not open within 1000 ms (weir.timeout.step)");
        pair.settle();
        Patience.until("what hung is closed", () -> TroubleTransport.OPEN.get() == 0);
    }

    /** What is left of the handshake's time is enough for a path that works. */
    @Test
    void measuringEndsInTime(Nodes nodes) {
        Pair pair = pastWhatHangs(
                nodes,
                near -> near.order("measured", "trouble", "local", "tcp").handshakeTimeout(Duration.ofSeconds(4)));

        PathDecision decision = pair.peer().path();
        assertThat(paths(decision)).startsWith("tcp", "trouble", "local");
        assertThat(chosen(decision)).isEqualTo("tcp");
        assertThat(of(decision, "trouble").reason())
                .isEqualTo("was not measured within 2000 ms, half of weir.timeout.handshake");
        assertThat(of(decision, "local").outcome()).isEqualTo(Outcome.NOT_TRIED);
        pair.settle();
        Patience.until("what hung is closed", () -> TroubleTransport.OPEN.get() == 0);
    }

    @Test
    void nothingBehindARequiredPathIsMeasured(Nodes nodes) {
        Pair pair = connect(
                nodes,
                Route.any("near").order("measured", "local", "tcp").path("local", PathSwitch.REQUIRED),
                far(nodes));

        PathDecision decision = pair.peer().path();
        assertThat(chosen(decision)).isEqualTo("local");
        assertThat(of(decision, "tcp").outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(of(decision, "tcp").reason()).isEqualTo("stands behind local, which is required");
        assertThat(of(decision, "tcp").roundTrip()).isNull();
    }

    @Test
    void aRequiredPathMustBeWorthMeasuring(Nodes nodes) {
        Node near = nodes.start(Route.any("near")
                .order("measured", "tcp", "trouble")
                .path("trouble", PathSwitch.REQUIRED)
                .build());

        StepVerifier.create(near.connect(far(nodes).address()))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(PathRequired.class)
                        .hasMessageContaining("trouble to far-")
                        .hasMessageContaining("is required (here) and can't be used"))
                .verify(Patience.LIMIT);
    }

    @Test
    void nothingWorks(Nodes nodes) {
        Node near = nodes.start(troubled("near", TroubleTransport.Mode.COMPLETE_FAILS)
                .order("measured", "trouble", "tcp")
                .build());
        // No host has this address.
        Node far = nodes.start(troubled("far", TroubleTransport.Mode.COMPLETE_FAILS)
                .transportOption("tcp", "data-address", "tcp://192.0.2.1:0")
                .build());

        StepVerifier.create(near.connect(far.address()))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(PathRequired.class)
                        .hasMessageContaining("no path to far-")
                        .hasMessageContaining("the bridge is up")
                        .hasMessageContaining("192.0.2.1:0 can't be listened at"))
                .verify(Patience.LIMIT);
        Patience.until("all halves are closed", () -> TroubleTransport.OPEN.get() == 0);
    }

    @Test
    void aPortIsOfferedOverThePathsOfItsOrder(Nodes nodes) {
        Node far = nodes.start(Route.any("far")
                .port("near-by", new PortSpec(new PathPolicy(List.of("measured", "shm", "local"), Map.of())))
                .port("anywhere", new PortSpec(new PathPolicy(List.of("measured"), Map.of())))
                .build());
        Pair pair = connect(nodes, Route.any("near").order("tcp"), far);
        for (String port : List.of("near-by", "anywhere")) {
            var unused = far.answer(port, Mono::just);
        }

        StepVerifier.create(pair.peer().ask("near-by", Message.of("?")))
                .expectError(PathRequired.class)
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().ask("anywhere", Message.of("?")).doOnNext(Message::release))
                .expectNextCount(1)
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    /**
     * To the one that answered next, not to the one that stands next; what could not be measured is the last resort.
     */
    @Test
    @EnabledOnOs(OS.LINUX)
    void fallsAndClimbsInTheMeasuredOrder(Nodes nodes) throws IOException {
        UnaryOperator<NodeSpec.Builder> both = spec -> spec.order("measured", "trouble", "tcp", "shm")
                .transportOption("trouble", "mode", TroubleTransport.Mode.PREPARE_REFUSES.name())
                .repathProbation(Duration.ofMillis(10));
        Node far = nodes.start(both.apply(Route.any("far")).build());
        try (Relay relay = new Relay(far.address()).distance(FAR)) {
            Pair pair = Echoed.serving(connect(nodes, both.apply(Route.any("near")), far, relay.address()));
            PathDecision first = pair.peer().path();
            assertThat(paths(first)).startsWith("shm", "tcp", "trouble");
            assertThat(chosen(first)).isEqualTo("shm");
            Echoed stream = new Echoed(pair, 1, Sizes.TINY);
            stream.goesOn();

            pair.peer().cut().block(Patience.LIMIT);
            Patience.until(
                    () -> "shm again, not " + pair.peer().pathHistory(),
                    () -> pair.peer().pathHistory().size() >= 3
                            && chosen(pair.peer().path()).equals("shm"));
            stream.goesOn();
            stream.end();

            List<PathDecision> history = pair.peer().pathHistory();
            assertThat(history.subList(0, 3).stream().map(MeasuredOrderTest::chosen))
                    .containsExactly("shm", "tcp", "shm");
            assertThat(history.get(1).cause()).startsWith("shm was lost: ");
            assertThat(history.get(2).cause()).isEqualTo("it stands before tcp");
            assertThat(of(history.get(1), "trouble").outcome()).isEqualTo(Outcome.NOT_TRIED);
            assertThat(history).allMatch(decision -> decision.warnings().isEmpty());
        }
    }

    /** Both measure the way to each other at once; one connection is kept. */
    @Test
    void whoConnectsAtOnceMeetsTheOther(Nodes nodes) {
        for (int round = 0; round < 5; round++) {
            Node one = nodes.start(
                    Route.any("one").order("measured", "tcp", "local").build());
            Node two = nodes.start(
                    Route.any("two").order("measured", "tcp", "local").build());

            Mono.when(one.connect(two.address()), two.connect(one.address())).block(Patience.LIMIT);

            assertThat(one.connected()).hasSize(1);
            Patience.until("two has it too", () -> two.connected().size() == 1);
            new Pair(one, two, one.connected().get(0)).settle();
        }
    }
}
