package io.weir.integration.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.config.Password;
import io.weir.config.PathPolicy;
import io.weir.config.PeerSpec;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Misconfigured;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.WeirException;
import io.weir.integration.Blackboard;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import io.weir.service.ServiceClient;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.ProxyOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** A service whose one instance is a peer that the configuration names. */
class ServiceAtPeerTest implements OnRoute {

    interface Desk {
        Mono<String> who();
    }

    private static final Codec<String> TEXT = Codecs.text();
    private static final Password RIGHT = Password.of("correct horse battery");

    @TempDir
    Path folder;

    private final Blackboard nothing = new Blackboard();

    private String address() {
        return "unix:" + folder.resolve("far");
    }

    private Node far(Nodes nodes, UnaryOperator<NodeSpec.Builder> more) {
        return nodes.start(
                more.apply(Route.any("far").order("tcp").listen(address())).build());
    }

    private Services near(Nodes nodes, UnaryOperator<PeerSpec> far) {
        Node node =
                nodes.start("near", spec -> spec.order("local", "tcp").peer("far", far.apply(PeerSpec.of(address()))));
        return Services.of(node, nothing.of(node));
    }

    private static <T> T get(Mono<T> mono) {
        return Objects.requireNonNull(mono.block(Patience.LIMIT));
    }

    private static Mono<String> ask(ServiceClient client) {
        return client.ask("?", TEXT, TEXT);
    }

    /** The service is not announced: only whoever names the peer calls it. */
    private static Mono<String> name(Node node) {
        return Mono.just(node.id().toString());
    }

    @Test
    void callsWaitForThePeerAndGoOnWithTheNextOne(Nodes nodes) {
        Services near = near(nodes, far -> far);
        ServiceClient desk = near.at("far", "desk", as -> as.withPatience(Patience.LIMIT));
        Probe<String> first = Probe.of(1, answer -> {});
        ask(desk).subscribe(first);
        for (int start = 0; start < 3; start++) {
            Node far = far(nodes, spec -> spec);
            far.answer("desk", TEXT, TEXT, asked -> name(far));

            Retry again =
                    Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(1)).filter(WeirException::mayRepeatIdempotent);
            assertThat(get(ask(desk).retryWhen(again))).isEqualTo(far.id().toString());

            far.close().block(Patience.LIMIT);
        }
        first.awaitReceived(1);
        assertThat(get(desk.instances().next()))
                .singleElement()
                .satisfies(only -> assertThat(only.addresses()).hasToString('[' + address() + ']'));
    }

    @Test
    void aProxyCallsIt(Nodes nodes) {
        Node far = far(nodes, spec -> spec);
        var exported = get(Services.of(far, nothing.of(far))
                .export(ServiceSpec.of("desk"), Desk.class, () -> name(far), ExportOptions.standard()));
        Services near = near(nodes, peer -> peer);
        ServiceClient client = near.at("far", "desk", as -> as.withPatience(Patience.LIMIT));
        Desk desk = near.client(client, Desk.class, ProxyOptions.standard());

        assertThat(get(desk.who())).isEqualTo(far.id().toString());

        client.close();
        assertThatThrownBy(() -> get(desk.who()))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("is not called any more");
    }

    @Test
    void thePasswordIsProved(Nodes nodes) {
        Node far = far(nodes, spec -> spec);
        var exported = get(Services.of(far, nothing.of(far))
                .answer(ServiceSpec.of("desk").withPassword(RIGHT), TEXT, TEXT, asked -> name(far)));
        Services near = near(nodes, peer -> peer);
        assertThat(get(ask(near.at("far", "desk", as -> as.withPassword(RIGHT)))))
                .isEqualTo(far.id().toString());

        Node other = nodes.start("other", spec -> spec.peer("far", PeerSpec.of(address())));
        Services others = Services.of(other, nothing.of(other));
        assertThatThrownBy(() -> get(ask(others.at("far", "desk", as -> as)))).isInstanceOf(Refused.class);
        Password wrong = Password.of("wrong donkey charger");
        assertThatThrownBy(() -> get(ask(others.at("far", "desk", as -> as.withPassword(wrong)))))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("service 'desk' can't be called: peer far");
    }

    @Test
    void whatIsTooLongAwayIsToldWithItsReason(Nodes nodes) {
        Services near = near(nodes, far -> far.withPatience(Patience.LIMIT));
        ServiceClient desk = near.at("far", "desk", as -> as.withPatience(Duration.ofMillis(300)));
        Patience.until("a try has come to an end before the call's patience did", () -> {
            try {
                var unused = ask(desk).block(Patience.LIMIT);
                return false;
            } catch (PeerUnavailable e) {
                assertThat(e).hasMessageContaining("no instance of service 'desk' can be reached: peer far: ");
                return e.getMessage().contains("there is no such socket");
            }
        });
    }

    @Test
    void withoutPatienceEachCallHasOneTry(Nodes nodes) {
        Services near = near(nodes, far -> far);
        ServiceClient desk = near.at("far", "desk", as -> as.withPatience(Duration.ZERO));
        for (int call = 0; call < 3; call++) {
            assertThatThrownBy(() -> get(ask(desk)))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageContaining("no instance of service 'desk' can be reached: peer far: ")
                    .hasMessageContaining("there is no such socket")
                    .hasMessageContaining("more than one try");
        }
        for (int start = 0; start < 3; start++) {
            Node far = far(nodes, spec -> spec);
            far.answer("desk", TEXT, TEXT, asked -> name(far));

            // Without a repetition: that the pause after the last failure has not passed is no reason to fail.
            assertThat(get(ask(desk))).isEqualTo(far.id().toString());

            far.close().block(Patience.LIMIT);
            assertThatThrownBy(() -> get(ask(desk))).isInstanceOf(WeirException.class);
        }
    }

    @Test
    void whoIsInNoDirectoryIsNotWaitedForWithoutPatience(Nodes nodes) {
        Services near = near(nodes, far -> far);
        ServiceClient desk = near.service("desk", as -> as.withPatience(Duration.ZERO));

        assertThatThrownBy(() -> get(ask(desk)))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("nobody announces service 'desk'");
    }

    @Test
    void onlyPeersThatTheConfigurationNames(Nodes nodes) {
        Services near = near(nodes, far -> far);
        assertThatThrownBy(() -> near.at("fra", "desk", as -> as))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("there is no peer 'fra': set weir.peers.fra.address; known: [far]");
        assertThatThrownBy(() -> near.at("far", "a desk", as -> as))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("is no name of a service");
    }

    @Test
    void theConnectionMovesWhereTheOptionsWantIt(Nodes nodes) {
        Node far = far(nodes, spec -> spec.order("local", "tcp"));
        far.answer("desk", TEXT, TEXT, asked -> name(far));
        Services near = near(nodes, peer -> peer);
        var unused = get(ask(near.at("far", "desk", as -> as)));
        assertThat(far.connected().get(0).path().chosen().orElseThrow().path()).isEqualTo("local");

        PathPolicy tcp = new PathPolicy(List.of("tcp"), Map.of());
        assertThat(get(ask(near.at("far", "desk", as -> as.withPaths(tcp)))))
                .isEqualTo(far.id().toString());

        assertThat(far.connected())
                .singleElement()
                .satisfies(peer ->
                        assertThat(peer.path().chosen().orElseThrow().path()).isEqualTo("tcp"));
    }
}
