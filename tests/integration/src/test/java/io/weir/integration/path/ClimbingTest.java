package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Repath;
import io.weir.core.Availability;
import io.weir.core.FrameKind;
import io.weir.core.Refused;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.integration.Sizes;
import io.weir.integration.path.GatedTransport.Gate;
import io.weir.peer.PathDecision;
import io.weir.peer.PathDecision.Attempt;
import io.weir.peer.PathDecision.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import reactor.test.StepVerifier;

/** A better path that opens late, or whose device goes and comes back. */
@EnabledOnOs(OS.LINUX)
class ClimbingTest implements OnRoute {

    private final Gate near = new Gate(true);
    private final Gate far = new Gate(true);

    private Pair pair(Nodes nodes, UnaryOperator<NodeSpec.Builder> changes) {
        return Echoed.serving(connected(nodes, changes));
    }

    private Pair connected(Nodes nodes, UnaryOperator<NodeSpec.Builder> changes) {
        Node one = nodes.start(changes.apply(gated("near", near)).build());
        Node two = nodes.start(changes.apply(gated("far", far)).build());
        return nodes.connect(one, two);
    }

    private static NodeSpec.Builder gated(String name, Gate gate) {
        return Route.any(name)
                .order(GatedTransport.NAME, "tcp")
                .transportOption(GatedTransport.NAME, "gate", gate.name)
                .repathProbation(Duration.ofMillis(20));
    }

    private static String path(Peer peer) {
        return peer.path().chosen().orElseThrow().path();
    }

    private static Attempt gatedOf(PathDecision decision) {
        return decision.attempts().stream()
                .filter(attempt -> attempt.path().equals(GatedTransport.NAME))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitPath(Peer peer, String path) {
        Patience.until(
                () -> peer + " goes over " + path + ", not as " + peer.pathHistory(),
                () -> path(peer).equals(path));
    }

    private static List<String> causes(Peer peer) {
        return peer.pathHistory().stream().map(PathDecision::cause).toList();
    }

    @Test
    void beginsOverTcpWhenTheBetterPathTakesTooLong(Nodes nodes) {
        far.open(false);
        Pair pair = pair(nodes, spec -> spec.headStart(Duration.ofMillis(50)));
        Peer peer = pair.peer();
        PathDecision first = peer.pathHistory().get(0);
        assertThat(first.chosen().orElseThrow().path()).isEqualTo("tcp");
        // On a slow machine it has not even begun to open.
        assertThat(gatedOf(first).reason())
                .isIn(
                        "did not open within 50ms (weir.timeout.head-start), and is tried again when the session has"
                                + " begun",
                        "it is tried when the session has begun");
        Echoed stream = new Echoed(pair, 1, Sizes.MIXED);
        stream.goesOn();

        far.open(true);

        awaitPath(peer, GatedTransport.NAME);
        stream.goesOn();
        stream.end();
        assertThat(causes(peer)).containsExactly("", "it stands before tcp");
        awaitPath(pair.back(), GatedTransport.NAME);
    }

    @Test
    void beginsOverTcpAtOnceIfThatIsWanted(Nodes nodes) {
        Pair pair = pair(nodes, spec -> spec.headStart(Duration.ZERO).repathProbation(Duration.ofMinutes(10)));
        PathDecision first = pair.peer().pathHistory().get(0);
        assertThat(first.chosen().orElseThrow().path()).isEqualTo("tcp");
        assertThat(gatedOf(first).outcome()).isEqualTo(Outcome.NOT_TRIED);
        assertThat(gatedOf(first).reason()).isEqualTo("it is tried when the session has begun");
        // It waits for no probation.
        awaitPath(pair.peer(), GatedTransport.NAME);
    }

    @Test
    void waitsForTheBetterPathWhereItWouldNotClimb(Nodes nodes) {
        Pair pair = pair(nodes, spec -> spec.headStart(Duration.ZERO).repath(Repath.ONCE));
        assertThat(path(pair.peer())).isEqualTo(GatedTransport.NAME);
        assertThat(pair.peer().pathHistory()).hasSize(1);
    }

    /** Either side's device may go, and nobody who streams notices. */
    @Test
    void leavesAPathWhoseDeviceIsMissing(Nodes nodes) {
        Pair pair = pair(nodes, spec -> spec);
        Echoed stream = new Echoed(pair, 2, Sizes.MIXED);
        for (Gate gate : List.of(near, far)) {
            awaitPath(pair.peer(), GatedTransport.NAME);
            stream.goesOn();
            gate.reports(new Availability.Missing("port 1 is down"));
            awaitPath(pair.peer(), "tcp");
            stream.goesOn();
            int asked = gate.asked();
            StepVerifier.create(pair.peer().moveTo(GatedTransport.NAME))
                    .expectErrorSatisfies(error ->
                            assertThat(error).isInstanceOf(Refused.class).hasMessageContaining("port 1 is down"))
                    .verify(Patience.LIMIT);
            assertThat(gate.asked()).as("attempts meanwhile").isEqualTo(asked);
            gate.reports(new Availability.Ready());
        }
        awaitPath(pair.peer(), GatedTransport.NAME);
        stream.goesOn();
        stream.end();
        assertThat(causes(pair.peer()))
                .containsExactly(
                        "",
                        "gated can't be used any more: port 1 is down",
                        "it stands before tcp",
                        "gated can't be used any more: at " + pair.far().id().name() + ": port 1 is down",
                        "it stands before tcp");
    }

    /** As over a port that is down, where neither side is told that the link is broken. */
    @Test
    void leavesAPathOverWhichNothingGetsThrough(Nodes nodes) {
        Pair pair = pair(nodes, spec -> spec.stepTimeout(Duration.ofMillis(500)));
        Echoed stream = new Echoed(pair, 4, Sizes.MIXED);
        for (Gate gate : List.of(near, far)) {
            awaitPath(pair.peer(), GatedTransport.NAME);
            stream.goesOn();
            gate.jam(true);
            gate.reports(new Availability.Missing("port 1 is down"));
            awaitPath(pair.peer(), "tcp");
            stream.goesOn();
            gate.jam(false);
            gate.reports(new Availability.Ready());
        }
        awaitPath(pair.peer(), GatedTransport.NAME);
        stream.goesOn();
        stream.end();
    }

    /** It was probed, and then nothing gets through: the session stays where it was. */
    @Test
    void comesBackFromAPathThatIsDeadBeforeItIsUsed(Nodes nodes) {
        far.open(false);
        Pair pair = pair(nodes, spec -> spec.headStart(Duration.ofMillis(50)).stepTimeout(Duration.ofMillis(500)));
        Echoed stream = new Echoed(pair, 5, Sizes.MIXED);
        awaitPath(pair.peer(), "tcp");
        stream.goesOn();
        far.jamAt(FrameKind.MOVED);
        far.open(true);
        Patience.until(
                () -> "it has tried and lost it: " + causes(pair.peer()),
                () -> causes(pair.peer()).stream().anyMatch(cause -> cause.startsWith("gated was lost: ")));
        stream.goesOn();
        far.jam(false);
        awaitPath(pair.peer(), GatedTransport.NAME);
        stream.goesOn();
        stream.end();
    }

    @Test
    void connectsPastADeviceThatIsMissing(Nodes nodes) {
        for (Gate gate : List.of(near, far)) {
            Node one = nodes.start(gated("near", near).build());
            Node two = nodes.start(gated("far", far).build());
            gate.reports(new Availability.Missing("the cable is out"));
            Pair pair = nodes.connect(one, two);
            PathDecision first = pair.peer().pathHistory().get(0);
            assertThat(first.chosen().orElseThrow().path()).isEqualTo("tcp");
            assertThat(gatedOf(first).outcome()).isEqualTo(Outcome.FAILED);
            assertThat(gatedOf(first).reason()).endsWith("the cable is out");
            gate.reports(new Availability.Ready());
            awaitPath(pair.peer(), GatedTransport.NAME);
        }
    }

    @Test
    void listensOnlyWhileTheNodeIsOpen(Nodes nodes) {
        Pair pair = pair(nodes, spec -> spec);
        assertThat(List.of(near.listeners(), far.listeners())).containsExactly(1, 1);
        pair.near().close().block(Patience.LIMIT);
        assertThat(List.of(near.listeners(), far.listeners())).containsExactly(0, 1);
    }

    /** The last word of a device counts, however often it changes its mind, and the stream does not notice. */
    @Test
    void aDeviceThatFlaps(Nodes nodes) {
        Pair pair = pair(nodes, spec -> spec);
        Echoed stream = new Echoed(pair, 3, Sizes.MIXED);
        for (int round = 0; round < 40; round++) {
            Gate gate = round % 3 == 0 ? far : near;
            gate.reports(new Availability.Missing("round " + round));
            if (round % 2 == 0) {
                stream.goesOn();
            }
            gate.reports(new Availability.Ready());
        }
        near.reports(new Availability.Missing("for good"));
        awaitPath(pair.peer(), "tcp");
        stream.goesOn();
        stream.end();
    }
}
