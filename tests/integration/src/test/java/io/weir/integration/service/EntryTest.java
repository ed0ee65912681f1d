package io.weir.integration.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.PathPolicy;
import io.weir.config.PortSpec;
import io.weir.config.Requirement;
import io.weir.config.Secret;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.Refused;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Who may come in, from where, and to which port. */
class EntryTest implements OnRoute {

    private static final Secret SECRET = Secret.of("the-words-that-all-of-them-share");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"tcp://0.0.0.0:0", "tcp://[::]:0", "tcp://10.1.2.3:0", "tcp://some.host.example:0"})
    void beyondItsHostANodeDoesNotListenJustLikeThat(String address, Nodes nodes) {
        assertThatThrownBy(() -> nodes.start("node", spec -> spec.listen("127.0.0.1:0", address)))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("weir.listen names " + address)
                .hasMessageContaining("weir.security.secret")
                .hasMessageContaining("weir.tls=on")
                .hasMessageContaining("weir.security.require=none");
    }

    @Test
    void onItsHostItListensWithoutFurtherWords(Nodes nodes) {
        Node node = nodes.start(
                "node", spec -> spec.listen("localhost:0", "127.8.9.10:0", "[::1]:0", "unix:" + folder.resolve("s")));
        assertThat(node.addresses()).hasSize(4);
    }

    @Test
    void whatIsRequiredMustBePossible(Nodes nodes) {
        assertThatThrownBy(() -> nodes.start("node", spec -> spec.require(Requirement.AUTHENTICATED)))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("weir.security.require=authenticated")
                .hasMessageContaining("weir.security.secret");
        assertThatThrownBy(() -> nodes.start("node", spec -> spec.secret(SECRET).require(Requirement.ENCRYPTED)))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("weir.security.require=encrypted")
                .hasMessageContaining("weir.tls=on")
                .hasMessageContaining("unix:");
    }

    /** 0.0.0.0 leads to this host on Linux, and looks like any other address to a node. */
    @Test
    void beyondItsHostANodeTalksToNobodyWhoHasProvedNothing(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.listen("0.0.0.0:0").require(Requirement.NONE));
        Node careful = nodes.start("careful");
        Node careless = nodes.start("careless", spec -> spec.require(Requirement.NONE));
        String address = "0.0.0.0:" + far.address().port();

        try (LogLines logged = LogLines.everything()) {
            StepVerifier.create(careful.connect(address))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(AuthenticationFailed.class)
                            .hasMessageContaining("beyond one host")
                            .hasMessageContaining("weir.security.secret"))
                    .verify(Patience.LIMIT);
            logged.await(Level.WARN, "An incoming connection", "beyond one host");
        }
        assertThat(careless.connect(address).block(Patience.LIMIT)).isNotNull();
        assertThat(careful.connect("127.0.0.1:" + far.address().port()).block(Patience.LIMIT))
                .isNotNull();
    }

    @Test
    void withASecretItListensAndConnectsAnywhere(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.listen("0.0.0.0:0").secret(SECRET));
        Node near = nodes.start("near", spec -> spec.secret(SECRET));
        StepVerifier.create(near.connect("0.0.0.0:" + far.address().port())
                        .map(peer -> peer.identity().knowsSecret()))
                .expectNext(true)
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    /** Either side's requirement counts, and both hear of it. */
    @Test
    void whoWantsEncryptionGetsNoPlainConnection(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.secret(SECRET));
        Node near = nodes.start(
                "near",
                spec -> spec.secret(SECRET)
                        .listen("unix:" + folder.resolve("near"))
                        .require(Requirement.ENCRYPTED));
        try (LogLines logged = LogLines.everything()) {
            StepVerifier.create(near.connect(far.address()))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(Refused.class)
                            .hasMessageContaining("weir.security.require=encrypted")
                            .hasMessageContaining("weir.tls=on"))
                    .verify(Patience.LIMIT);
            logged.await(Level.WARN, "An incoming connection", "encrypted");
        }
        assertThat(far.connected()).isEmpty();
    }

    private static Node far(Nodes nodes) {
        Node far = nodes.start(
                "far",
                spec -> spec.secret(SECRET)
                        .port("ledger", only("name:till"))
                        .port("box", only("name:till"))
                        .port("journal", only("name:till")));
        var ledger = far.serve("ledger", channel -> channel.send(Flux.empty()));
        var journal = far.answer("journal", Mono::just);
        var box = far.mailbox("box");
        return far;
    }

    private static PortSpec only(String... allowed) {
        return new PortSpec(PathPolicy.unchanged(), Set.of(allowed));
    }

    private static Peer connect(Nodes nodes, String name, Node far) {
        Node near = nodes.start(name, spec -> spec.secret(SECRET));
        Peer peer = near.connect(far.address()).block(Patience.LIMIT);
        assertThat(peer).isNotNull();
        return peer;
    }

    private static List<Mono<?>> everyWayIn(Peer peer) {
        return List.of(
                peer.channel("ledger").doOnNext(channel -> channel.close().subscribe()),
                peer.ask("journal", Message.of("?")).doOnNext(Message::release),
                peer.tell("journal", Message.of("!")).thenReturn(true),
                peer.stream("ledger", Message.of("?")).then(Mono.just(true)),
                peer.tell("box", Message.of("!")).thenReturn(true));
    }

    @Test
    void whoIsAllowedGetsInAndNobodyElse(Nodes nodes) {
        Node far = far(nodes);
        everyWayIn(connect(nodes, "till", far))
                .forEach(way -> StepVerifier.create(way.then()).expectComplete().verify(Patience.LIMIT));
        everyWayIn(connect(nodes, "thief", far))
                .forEach(way -> StepVerifier.create(way)
                        .expectErrorSatisfies(error -> assertThat(error)
                                .isInstanceOf(Refused.class)
                                .hasMessageContaining("is not open to this peer")
                                .hasMessageNotContainingAny("till"))
                        .verify(Patience.LIMIT));
    }

    /** A name is nothing without a proof. */
    @Test
    void whoSaysThatItIsSomebodyHasToProveSomething(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.port("journal", only("name:till")));
        var journal = far.answer("journal", Mono::just);
        Node near = nodes.start("till");
        StepVerifier.create(near.connect(far.address()).flatMap(peer -> peer.ask("journal", Message.of("?"))))
                .expectError(Refused.class)
                .verify(Patience.LIMIT);
    }

    @Test
    void whatExistsIsNotToldToWhoMayNotUseIt(Nodes nodes) {
        Pair pair = nodes.pair();
        List<String> asked = new ArrayList<>();
        pair.far().authorise((peer, port) -> {
            asked.add(peer.name() + " to " + port);
            return !port.startsWith("secret");
        });
        var secret = pair.far().answer("secret door", Mono::just);
        for (String port : List.of("secret door", "secret nothing")) {
            StepVerifier.create(pair.peer().ask(port, Message.of("?")))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(Refused.class)
                            .hasMessageEndingWith("port '" + port + "' is not open to this peer"))
                    .verify(Patience.LIMIT);
        }
        StepVerifier.create(pair.peer().ask("something", Message.of("?")))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Refused.class)
                        .hasMessageContaining("nobody serves")
                        .hasMessageNotContaining("secret door"))
                .verify(Patience.LIMIT);
        assertThat(asked).containsExactly("near to secret door", "near to secret nothing", "near to something");
    }

    @Test
    void anAuthorisationThatFailsSaysNo(Nodes nodes) {
        Pair pair = nodes.pair();
        AtomicBoolean fails = new AtomicBoolean(true);
        pair.far().authorise((peer, port) -> {
            if (fails.get()) {
                throw new IllegalStateException("the list is away");
            }
            return true;
        });
        var echo = pair.far().answer("echo", Mono::just);
        try (LogLines logged = LogLines.everything()) {
            StepVerifier.create(pair.peer().ask("echo", Message.of("?")))
                    .expectErrorSatisfies(error ->
                            assertThat(error).isInstanceOf(Refused.class).hasMessageNotContaining("the list is away"))
                    .verify(Patience.LIMIT);
            assertThat(logged.texts()).anyMatch(text -> text.contains("the list is away"));
        }
        fails.set(false);
        StepVerifier.create(pair.peer()
                        .ask("echo", Message.of("?"))
                        .doOnNext(Message::release)
                        .then())
                .expectComplete()
                .verify(Patience.LIMIT);
    }
}
