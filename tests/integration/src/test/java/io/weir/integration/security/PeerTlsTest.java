package io.weir.integration.security;

import static io.weir.integration.security.TlsTalk.echo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PeerSpec;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.core.TlsSpec;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Relay;
import io.weir.integration.Route;
import io.weir.tck.Authority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** Peers that are connected to with TLS of their own, whatever the node has. */
class PeerTlsTest implements OnRoute {

    private static final String HERE = "127.0.0.1";

    @TempDir
    static Path folder;

    private static Authority ours;
    private static Authority theirs;

    @BeforeAll
    static void issue() throws Exception {
        ours = Authority.in(Files.createDirectory(folder.resolve("ours")), "Ours");
        theirs = Authority.in(Files.createDirectory(folder.resolve("theirs")), "Theirs");
    }

    private static TlsSpec.Builder of(Authority by, String name) {
        try {
            return by.tls(by.issue(name, HERE));
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Node far(Nodes nodes, String name, UnaryOperator<NodeSpec.Builder> more) {
        Node node = nodes.start(name, more);
        var unused = node.answer("echo", Mono::just);
        return node;
    }

    private static Node far(Nodes nodes, String name, Authority by) {
        return far(nodes, name, spec -> spec.tls(of(by, name).build()));
    }

    private static PeerSpec to(PeerAddress address, Authority by) {
        return PeerSpec.of(address.toString()).withTls(of(by, "near").build());
    }

    private static Peer peer(Node near, String name) {
        return Objects.requireNonNull(near.peer(name).block(Patience.LIMIT));
    }

    @Test
    void eachPeerHasAnAuthorityOfItsOwn(Nodes nodes) {
        Node one = far(nodes, "one", ours);
        Node two = far(nodes, "two", theirs);
        Node plain = far(nodes, "plain", spec -> spec);
        Node near = nodes.start(
                "near",
                spec -> spec.peer("one", to(one.address(), ours))
                        .peer("two", to(two.address(), theirs))
                        .peer("plain", PeerSpec.of(plain.address().toString()))
                        .peer("wrong", to(one.address(), theirs)));

        for (String name : new String[] {"one", "two", "plain"}) {
            assertThat(echo(peer(near, name))).isEqualTo("hear me");
        }

        assertThat(peer(near, "one").identity().principal()).isEqualTo("CN=one");
        assertThat(one.connected().get(0).identity().principal()).isEqualTo("CN=near");
        assertThat(peer(near, "plain").identity().principal()).isNull();
        assertThatThrownBy(() -> near.peer("wrong").block(Patience.LIMIT)).isInstanceOf(PeerUnavailable.class);
        assertThatThrownBy(() -> near.connect(one.address()).block(Patience.LIMIT))
                .as("by its address it is none of the configuration's")
                .hasMessageContaining("weir.tls=on");
    }

    @Test
    void aPeerHasOtherTlsThanTheNode(Nodes nodes) {
        Node one = far(nodes, "one", ours);
        Node two = far(nodes, "two", theirs);
        Node near = nodes.start(
                "near",
                spec -> spec.tls(of(ours, "near").build())
                        .peer("one", PeerSpec.of(one.address().toString()))
                        .peer("two", to(two.address(), theirs)));

        assertThat(echo(peer(near, "one"))).isEqualTo("hear me");
        assertThat(echo(peer(near, "two"))).isEqualTo("hear me");
    }

    @Test
    void alsoAtItsDataAddress(Nodes nodes) {
        Node one = far(
                nodes,
                "one",
                spec -> spec.tls(of(ours, "one").build()).transportOption("tcp", "data-address", "tcp://127.0.0.1:0"));
        Node near = nodes.start("near", spec -> spec.peer("one", to(one.address(), ours)));

        assertThat(echo(peer(near, "one"))).isEqualTo("hear me");
    }

    @Test
    void alsoWhereALostConnectionIsReplaced(Nodes nodes) throws IOException {
        UnaryOperator<NodeSpec.Builder> patient = spec -> spec.rejoinTimeout(Patience.LIMIT);
        Node one =
                far(nodes, "one", spec -> patient.apply(spec.tls(of(ours, "one").build())));
        try (Relay relay = new Relay(one.address())) {
            Node near = nodes.start("near", spec -> patient.apply(spec.peer("one", to(relay.address(), ours))));
            Peer peer = peer(near, "one");
            int before = relay.accepted();

            relay.part(true);

            Patience.until("it connects anew", () -> relay.accepted() > before);
            assertThat(echo(peer)).isEqualTo("hear me");
            near.close().block(Patience.LIMIT);
        }
    }

    @Test
    void whatCantBeUsedIsToldAtTheStart() {
        Path nowhere = folder.resolve("nowhere.pem");
        TlsSpec broken = of(ours, "near").certificate(nowhere).build();
        NodeSpec spec = Route.TCP
                .spec("near")
                .peer("one", PeerSpec.of("127.0.0.1:1").withTls(broken))
                .build();

        assertThatThrownBy(() -> Node.start(spec).block(Patience.LIMIT))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("the TLS of peer one (PeerSpec.tls): weir.tls.certificate=" + nowhere
                        + " can't be used: there is no such file");
    }

    @Test
    void itStandsInTheConfiguration() {
        NodeSpec spec = NodeSpec.builder()
                .peer("one", to(new PeerAddress(HERE, 1), ours))
                .build();
        assertThat(spec.toBuilder().build()).isEqualTo(spec);
        assertThat(spec.toString()).contains("weir.peers.one.tls=TlsSpec[on, certificate=");
        NodeSpec without =
                spec.toBuilder().peer("one", PeerSpec.of("127.0.0.1:1")).build();
        assertThat(without.peers().get("one").tls()).isNull();
    }

    @Test
    void whatMakesNoSenseIsToldBefore() {
        assertThatThrownBy(() -> NodeSpec.builder()
                        .peer(
                                "one",
                                PeerSpec.of("127.0.0.1:1")
                                        .withTls(TlsSpec.builder().build()))
                        .build())
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("the TLS of peer one (PeerSpec.tls): ")
                .hasMessageContaining("whom to trust");
        assertThatThrownBy(() -> NodeSpec.builder()
                        .peer("one", to(new PeerAddress(HERE, 1), ours).through(List.of(new PeerAddress(HERE, 2))))
                        .build())
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("weir.peers.one.gateway");
        assertThatThrownBy(() -> NodeSpec.builder()
                        .peer(
                                "one",
                                PeerSpec.of("127.0.0.1:1")
                                        .withTls(of(ours, "near")
                                                .reload(Duration.ZERO)
                                                .build()))
                        .build())
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("peer one");
    }
}
