package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.config.PeerSpec;
import io.weir.config.Repath;
import io.weir.core.Availability;
import io.weir.core.Misconfigured;
import io.weir.core.PathRequired;
import io.weir.core.Refused;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.integration.Sizes;
import io.weir.integration.path.GatedTransport.Gate;
import io.weir.peer.PathDecision;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An operator changes the order of the paths of a connection that lives. */
@EnabledOnOs(OS.LINUX)
class ReorderTest implements OnRoute {

    @TempDir
    Path folder;

    private static UnaryOperator<NodeSpec.Builder> over(String... order) {
        return spec -> spec.order(order).repathProbation(Duration.ofHours(1));
    }

    private static PathPolicy order(String... paths) {
        return new PathPolicy(List.of(paths), Map.of());
    }

    private static String path(PathDecision decision) {
        return decision.chosen().orElseThrow().path();
    }

    private static PathDecision reorder(Peer peer, PathPolicy order) {
        return Objects.requireNonNull(peer.reorder(order).block(Patience.LIMIT));
    }

    @Test
    void goesToTheBestPathWithoutAnyProbation(Nodes nodes) {
        Pair pair = Echoed.serving(nodes.pair(over("tcp"), over("shm", "local", "tcp")));
        Echoed stream = new Echoed(pair, 1, Sizes.MIXED);
        stream.goesOn();
        for (String best : List.of("shm", "local", "tcp", "shm")) {
            PathDecision decision = reorder(pair.peer(), order(best, "tcp".equals(best) ? "shm" : "tcp"));

            assertThat(path(decision)).isEqualTo(best);
            assertThat(pair.peer().path()).isEqualTo(decision);
            assertThat(decision.cause()).isEqualTo("an operator has changed the order of paths");
            stream.goesOn();
        }
        stream.end();
    }

    /** Where it would climb back at once if the order still had the path. */
    @Test
    void leavesAPathThatTheOrderDoesNotName(Nodes nodes) {
        UnaryOperator<NodeSpec.Builder> quick = spec -> spec.order("shm", "tcp").repathProbation(Duration.ofMillis(10));
        Pair pair = Echoed.serving(nodes.pair(quick));
        Echoed stream = new Echoed(pair, 2, Sizes.MIXED);
        stream.goesOn();

        assertThat(path(reorder(pair.peer(), order("tcp")))).isEqualTo("tcp");

        for (int i = 0; i < 20; i++) {
            stream.goesOn();
        }
        assertThat(pair.peer().pathHistory()).hasSize(2);
        assertThat(path(reorder(pair.peer(), order("tcp", "shm")))).isEqualTo("tcp");
        assertThat(pair.peer().pathHistory()).hasSize(2);
        stream.end();
    }

    @Test
    void aSwitchAloneTakesAPathAway(Nodes nodes) {
        Pair pair = nodes.pair(over("shm", "tcp"));
        PathPolicy off = new PathPolicy(List.of(), Map.of("shm", PathSwitch.OFF));

        PathDecision decision = reorder(pair.peer(), off);

        assertThat(path(decision)).isEqualTo("tcp");
        assertThat(decision.toString()).contains("switched off here");
    }

    @Test
    void whatCantBeOpenedIsToldAndTheOrderStays(Nodes nodes) {
        Gate here = new Gate(true);
        Gate there = new Gate(true);
        Node near = nodes.start(gated("near", here).order("tcp").build());
        Node far = nodes.start(patient("far", there));
        Peer peer = nodes.connect(near, far).peer();
        there.open(false);

        PathDecision stays = reorder(peer, order(GatedTransport.NAME, "tcp"));

        assertThat(path(stays)).isEqualTo("tcp");
        assertThat(stays.attempts().get(0).path()).isEqualTo(GatedTransport.NAME);
        assertThat(stays.attempts().get(0).reason()).contains("did not open within");
        assertThat(peer.pathHistory()).hasSize(1);
        there.open(true);
        Patience.until("it climbs later", () -> path(peer.path()).equals(GatedTransport.NAME));
    }

    @Test
    void anOrderOfWhichNothingOpensIsTakenBack(Nodes nodes) {
        Gate here = new Gate(true);
        Gate there = new Gate(true);
        Node near = nodes.start(gated("near", here).order("tcp").build());
        Node far = nodes.start(patient("far", there));
        Peer peer = nodes.connect(near, far).peer();
        there.open(false);

        refuses(peer, order(GatedTransport.NAME), Refused.class, "over tcp; gated: failed after ");
        refuses(peer, order(GatedTransport.NAME), Refused.class, "did not open within");

        there.open(true);
        assertThat(path(reorder(peer, order("tcp")))).isEqualTo("tcp");
        assertThat(peer.pathHistory()).hasSize(1);
    }

    /** It goes where the former order has it go when its path is lost. */
    @Test
    void theFormerOrderIsInForceAgain(Nodes nodes) {
        Gate gate = new Gate(true);
        Node near = nodes.start(gated("near", gate)
                .order("shm", "tcp")
                .repathProbation(Duration.ofHours(1))
                .build());
        Node far = nodes.start(gated("far", gate).build());
        Pair pair = Echoed.serving(nodes.connect(near, far));
        Echoed stream = new Echoed(pair, 3, Sizes.MIXED);
        stream.goesOn();
        gate.open(false);

        refuses(pair.peer(), order(GatedTransport.NAME), Refused.class, "stays as it was");
        pair.peer().cut().block(Patience.LIMIT);

        stream.goesOn();
        assertThat(path(pair.peer().path())).isEqualTo("tcp");
        stream.end();
    }

    @Test
    void aDeviceThatIsMissingIsNoPathToGoTo(Nodes nodes) {
        Gate gate = new Gate(true);
        Node near = nodes.start(gated("near", gate).order("tcp").build());
        Node far = nodes.start(gated("far", gate).build());
        Peer peer = nodes.connect(near, far).peer();
        gate.reports(new Availability.Missing("somebody has pulled the cable"));

        refuses(peer, order(GatedTransport.NAME), Refused.class, "somebody has pulled the cable");

        assertThat(path(peer.path())).isEqualTo("tcp");
    }

    private static NodeSpec.Builder gated(String name, Gate gate) {
        return Route.any(name)
                .order(GatedTransport.NAME, "tcp")
                .transportOption(GatedTransport.NAME, "gate", gate.name)
                .stepTimeout(Duration.ofMillis(200))
                .repathProbation(Duration.ofMillis(20));
    }

    /** Waits longer than the other side, so that the other side's reason is reported. */
    private static NodeSpec patient(String name, Gate gate) {
        return gated(name, gate).stepTimeout(Patience.LIMIT).build();
    }

    @Test
    void anOrderThatCantBeIsRefusedAndTheOldOneStays(Nodes nodes) {
        Pair pair = nodes.pair(over("shm", "tcp"), spec -> spec.path("local", PathSwitch.OFF));
        Peer peer = pair.peer();

        refuses(peer, order("smh", "tcp"), Misconfigured.class, "smh");
        refuses(peer, order(PathPolicy.MEASURED), Misconfigured.class, "best first");
        refuses(peer, new PathPolicy(List.of("tcp"), Map.of(), Repath.OFF), Misconfigured.class, "best first");
        refuses(
                peer,
                new PathPolicy(List.of("tcp"), Map.of("tcp", PathSwitch.OFF)),
                Misconfigured.class,
                "leaves no path");
        refuses(
                peer,
                new PathPolicy(List.of("local", "tcp"), Map.of("local", PathSwitch.REQUIRED)),
                PathRequired.class,
                "switched off at far-");
        assertThat(peer.pathHistory()).hasSize(1);
        assertThat(path(peer.path())).isEqualTo("shm");
    }

    private static void refuses(Peer peer, PathPolicy order, Class<? extends Exception> type, String text) {
        assertThatThrownBy(() -> peer.reorder(order).block(Patience.LIMIT))
                .isInstanceOf(type)
                .hasMessageContaining(text);
    }

    @Test
    void whoWasConnectedToIsToldWhereToDoIt(Nodes nodes) {
        Pair pair = nodes.pair(over("shm", "tcp"));

        refuses(pair.back(), order("tcp"), Refused.class, "change it at near");
        assertThat(path(pair.peer().path())).isEqualTo("shm");
    }

    @Test
    void whereConnectionsStayOnTheirPathItStays(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.order("shm", "tcp").repath(Repath.OFF));

        refuses(pair.peer(), order("tcp"), Refused.class, "weir.repath is off here");
    }

    @Test
    void byNameItHoldsForTheNextConnectionsAsWell(Nodes nodes) {
        UnaryOperator<NodeSpec.Builder> at = spec -> spec.order("shm", "tcp").listen("unix:" + folder.resolve("far"));
        Node near = nodes.start(
                "near",
                spec -> over("shm", "tcp").apply(spec).peer("far", PeerSpec.of("unix:" + folder.resolve("far"))));

        assertThat(near.reorder("far", order("tcp")).blockOptional(Patience.LIMIT))
                .isEmpty();

        Node first = nodes.start("far", at);
        assertThat(path(near.peer("far").block(Patience.LIMIT).path())).isEqualTo("tcp");
        assertThat(path(Objects.requireNonNull(near.reorder("far", order("shm")).block(Patience.LIMIT))))
                .isEqualTo("shm");
        first.close().block(Patience.LIMIT);
        Patience.until("it is gone", () -> near.connected().isEmpty());
        var again = nodes.start("far", at);
        assertThat(path(near.peer("far").block(Patience.LIMIT).path())).isEqualTo("shm");
        assertThatThrownBy(() -> near.reorder("fra", order("tcp")).block(Patience.LIMIT))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("weir.peers.fra.address");
        assertThatThrownBy(() -> near.reorder("far", order("smh")).block(Patience.LIMIT))
                .isInstanceOf(Misconfigured.class);
        assertThat(path(near.peer("far").block(Patience.LIMIT).path())).isEqualTo("shm");
    }
}
