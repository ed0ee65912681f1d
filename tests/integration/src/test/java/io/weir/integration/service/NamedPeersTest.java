package io.weir.integration.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerState;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.config.PeerSpec;
import io.weir.core.Misconfigured;
import io.weir.core.PathRequired;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import io.weir.integration.Stranger;
import io.weir.integration.StrangersDoor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Peers that the configuration names: who begins to connect, who waits for whom, and what is told when it is in vain.
 */
class NamedPeersTest implements OnRoute {

    @TempDir
    Path folder;

    /** A socket keeps its address over a restart of its node, and nobody else takes it. */
    private String address(String name) {
        return "unix:" + folder.resolve(name);
    }

    private Node start(Nodes nodes, String name) {
        return nodes.start(at(name).build());
    }

    /** One that knows the far one. */
    private Node near(Nodes nodes, PeerSpec.Connect connect) {
        return nodes.start(at("near").peer("far", to("far", connect)).build());
    }

    /** One that does not begin without the far one, on its way. */
    private Probe<Node> starting() {
        Probe<Node> starting = Probe.of(1, node -> node.close().subscribe());
        Node.start(at("near")
                        .peer("far", to("far", PeerSpec.Connect.REQUIRED))
                        .startTimeout(Patience.LIMIT)
                        .build())
                .subscribe(starting);
        Patience.until("it listens", () -> Files.exists(folder.resolve("near")));
        return starting;
    }

    private NodeSpec.Builder at(String name) {
        return Route.any(name).order("tcp").listen(address(name));
    }

    private PeerSpec to(String name, PeerSpec.Connect connect) {
        return PeerSpec.of(address(name)).with(connect);
    }

    private static void awaitState(Node node, PeerState.Status status) {
        Patience.until(
                () -> "the state of " + node.peerStates(),
                () -> node.peerStates().get("far").status() == status);
    }

    @Test
    void lazyConnectsWhenAskedAndOnce(Nodes nodes) {
        Node far = start(nodes, "far");
        Node near = near(nodes, PeerSpec.Connect.LAZY);
        awaitState(near, PeerState.Status.AWAY);
        assertThat(near.peerStates().get("far").lastFailure()).isEmpty();
        assertThat(near.connected("far")).isEmpty();
        assertThat(far.connected()).isEmpty();

        List<Peer> peers = Flux.range(0, 50)
                .flatMap(i -> near.peer("far"), 50)
                .collectList()
                .block(Patience.LIMIT);

        assertThat(peers).hasSize(50).containsOnly(near.connected().get(0));
        awaitState(near, PeerState.Status.CONNECTED);
        assertThat(near.connected("far")).containsSame(near.connected().get(0));
        assertThat(near.connected().get(0).stats().peer()).isEqualTo(far.id());
        far.close().block(Patience.LIMIT);
        awaitState(near, PeerState.Status.AWAY);
        assertThat(near.connected("far")).isEmpty();
        assertThat(near.peerStates().get("far").lastFailure().orElseThrow()).contains("has left");
        assertThat(near.peerStates().get("far").nextTry()).isEmpty();
        assertThatThrownBy(() -> near.peer("far").block(Patience.LIMIT))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("there is no such socket");
    }

    @Test
    void eagerConnectsByItselfAndStays(Nodes nodes) {
        Node near = near(nodes, PeerSpec.Connect.EAGER);
        Patience.until(
                "it was tried in vain",
                () -> near.peerStates().get("far").lastFailure().isPresent());
        for (int restart = 0; restart < 3; restart++) {
            Node far = start(nodes, "far");
            awaitState(near, PeerState.Status.CONNECTED);
            Peer peer = near.peer("far").block(Patience.LIMIT);
            assertThat(peer.id()).isEqualTo(far.id());
            assertThat(near.connected()).containsExactly(peer);
            far.close().block(Patience.LIMIT);
            Patience.until("it has left", () -> near.connected().isEmpty());
            assertThat(near.peerStates().get("far").status()).isNotEqualTo(PeerState.Status.CONNECTED);
        }
    }

    /** Whoever sees that there is no connection any more sees why, although the loop may not have noticed yet. */
    @Test
    void whoHasLeftIsAwayAtOnce(Nodes nodes) {
        Node near = near(nodes, PeerSpec.Connect.LAZY);
        for (int round = 0; round < 10; round++) {
            Node far = start(nodes, "far");
            var unused = near.peer("far").block(Patience.LIMIT);
            far.close().subscribe();
            long limit = System.nanoTime() + Patience.LIMIT.toNanos();
            while (near.connected("far").isPresent()) {
                assertThat(System.nanoTime()).as("it leaves").isLessThan(limit);
            }
            PeerState state = near.peerStates().get("far");
            assertThat(state.status()).isEqualTo(PeerState.Status.AWAY);
            assertThat(state.lastFailure())
                    .hasValueSatisfying(reason -> assertThat(reason).contains("has left"));
            far.close().block(Patience.LIMIT);
        }
    }

    @Test
    void eagerConnectsAnewAfterAGoodbyeFromEitherSide(Nodes nodes) {
        Node far = start(nodes, "far");
        Node near = near(nodes, PeerSpec.Connect.EAGER);
        awaitState(near, PeerState.Status.CONNECTED);
        Peer first = near.peer("far").block(Patience.LIMIT);
        first.close().block(Patience.LIMIT);
        Patience.until(
                "anew", () -> !near.connected().isEmpty() && near.connected().get(0) != first);
        Peer second = near.peer("far").block(Patience.LIMIT);
        assertThat(second).isNotSameAs(first);
        Patience.until("seen there", () -> far.connected().size() == 1);
        far.connected().get(0).close().block(Patience.LIMIT);
        Patience.until(
                "anew", () -> !near.connected().isEmpty() && near.connected().get(0) != second);
        assertThat(near.peer("far").block(Patience.LIMIT)).isNotSameAs(second);
    }

    /** Whoever gets a peer while it comes and goes gets one that has not ended. */
    @Test
    void nobodyGetsTheDead(Nodes nodes) {
        var unused = start(nodes, "far");
        Node near = nodes.start(at("near")
                .loops(2)
                .peer("far", to("far", PeerSpec.Connect.EAGER))
                .build());
        Set<Peer> seen = new HashSet<>();
        for (int round = 0; round < 30; round++) {
            Peer peer = near.peer("far").block(Patience.LIMIT);
            assertThat(seen.add(peer)).isTrue();
            peer.close().block(Patience.LIMIT);
        }
    }

    @Test
    void bothAreEager(Nodes nodes) {
        Node near = near(nodes, PeerSpec.Connect.EAGER);
        Node far = nodes.start(
                at("far").peer("far", to("near", PeerSpec.Connect.EAGER)).build());
        awaitState(near, PeerState.Status.CONNECTED);
        awaitState(far, PeerState.Status.CONNECTED);
        assertThat(near.connected()).hasSize(1);
        assertThat(far.connected()).hasSize(1);
    }

    @Test
    void eachRequiresTheOther(Nodes nodes) {
        Mono<Node> near = Node.start(
                at("near").peer("far", to("far", PeerSpec.Connect.REQUIRED)).build());
        Mono<Node> far = Node.start(
                at("far").peer("far", to("near", PeerSpec.Connect.REQUIRED)).build());
        List<Node> both = Flux.merge(near, far).collectList().block(Patience.LIMIT);
        assertThat(both).hasSize(2).allSatisfy(node -> {
            assertThat(node.peerStates().get("far").status()).isEqualTo(PeerState.Status.CONNECTED);
            assertThat(node.connected()).hasSize(1);
        });
        Peer former = both.get(0).connected().get(0);
        former.close().block(Patience.LIMIT);
        Patience.until(
                "it is kept",
                () -> both.get(0).connected().size() == 1
                        && both.get(0).connected().get(0) != former);
        Flux.fromIterable(both).flatMap(Node::close).blockLast(Patience.LIMIT);
    }

    @Test
    void requiredIsAwaited(Nodes nodes) {
        Probe<Node> starting = starting();
        assertThat(starting.ended()).isFalse();
        var unused = start(nodes, "far");
        starting.awaitComplete();
    }

    @Test
    void requiredAndAbsent() {
        NodeSpec spec = at("near")
                .peer("far", to("far", PeerSpec.Connect.REQUIRED))
                .startTimeout(Duration.ofMillis(300))
                .build();
        assertThatThrownBy(() -> Node.start(spec).block(Patience.LIMIT))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageMatching("the peer far \\(unix:.*far\\) can't be reached: tried (once|\\d+ times) in 300ms"
                        + " \\(weir.timeout.start\\); (the last reason: unix:.*far can't be reached: .*"
                        + "|no try has come to an end)");
        assertThat(folder).as("nothing listens any more").isEmptyDirectory();
    }

    @Test
    void requiredOverAPathThatItHasNot(Nodes nodes) {
        var unused = nodes.start(
                at("far").order("local", "tcp").path("local", PathSwitch.OFF).build());
        NodeSpec spec = at("near")
                .order("local")
                .path("local", PathSwitch.REQUIRED)
                .peer("far", to("far", PeerSpec.Connect.REQUIRED))
                .startTimeout(Patience.LIMIT)
                .build();
        assertThatThrownBy(() -> Node.start(spec).block(Patience.LIMIT))
                .isInstanceOf(Misconfigured.class)
                .hasMessageStartingWith("weir.peers.far.connect=required can't be met: ")
                .hasMessageContaining("local")
                .hasCauseInstanceOf(PathRequired.class);
        assertThat(folder.resolve("near")).doesNotExist();
    }

    @Test
    void requiredInAnotherVersion() throws IOException {
        try (StrangersDoor door = new StrangersDoor(stranger -> {
            stranger.hello(Stranger.MAJOR + 1, 0);
            stranger.awaitEnd();
        })) {
            NodeSpec spec = at("near")
                    .peer("far", PeerSpec.of(door.address()).with(PeerSpec.Connect.REQUIRED))
                    .startTimeout(Patience.LIMIT)
                    .build();
            assertThatThrownBy(() -> Node.start(spec).block(Patience.LIMIT))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageContaining("weir.peers.far.connect=required")
                    .hasMessageContaining("version")
                    .hasCauseInstanceOf(ProtocolMismatch.class);
        }
    }

    @Test
    void startingIsGivenUp() {
        Probe<Node> starting = starting();
        starting.cancel();
        Patience.until("it does not listen any more", () -> !Files.exists(folder.resolve("near")));
    }

    @Test
    void aCallWaitsForItsPeer(Nodes nodes) {
        Node near = nodes.start(at("near")
                .peer("far", to("far", PeerSpec.Connect.LAZY).withPatience(Patience.LIMIT))
                .build());
        Probe<Peer> waiting = Probe.of(1, peer -> {});
        near.peer("far").subscribe(waiting);
        Patience.until(
                "it was tried in vain",
                () -> near.peerStates().get("far").lastFailure().isPresent());
        assertThat(waiting.ended()).isFalse();
        var unused = start(nodes, "far");
        waiting.awaitComplete();
    }

    @Test
    void aNodeThatClosesTellsWhoWaits(Nodes nodes) {
        Node near = nodes.start(at("near")
                .peer("far", to("far", PeerSpec.Connect.EAGER).withPatience(Patience.LIMIT))
                .build());
        Probe<Peer> waiting = Probe.of(1, peer -> {});
        near.peer("far").subscribe(waiting);
        near.close().block(Patience.LIMIT);
        assertThat(waiting.awaitError()).isInstanceOf(Refused.class).hasMessageContaining("is closing");
        assertThatThrownBy(() -> near.peer("far").block(Patience.LIMIT)).isInstanceOf(IllegalStateException.class);
        assertThat(near.peerStates().get("far").status()).isEqualTo(PeerState.Status.AWAY);
        assertThat(near.peerStates().get("far").nextTry()).isEmpty();
    }
}
