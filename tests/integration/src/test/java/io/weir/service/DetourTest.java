package io.weir.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.config.Requirement;
import io.weir.core.PeerUnavailable;
import io.weir.service.directory.Member;
import io.weir.service.directory.MemberEvent;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import io.weir.tck.ResourceCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Instances that only a gateway of the directory reaches. */
@ExtendWith(ResourceCheck.class)
class DetourTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<Node> started = new ArrayList<>();

    /** What is announced, and never changes. */
    private record Announced(List<ServiceInstance> all) implements ServiceDirectory {

        @Override
        public Mono<Registration> announce(ServiceInstance instance) {
            return Mono.<Registration>just(new Registration() {
                        @Override
                        public ServiceInstance instance() {
                            return instance;
                        }

                        @Override
                        public Mono<Void> attributes(Map<String, String> attributes) {
                            return Mono.empty();
                        }

                        @Override
                        public Mono<Void> withdraw() {
                            return Mono.fromRunnable(() -> all.remove(instance));
                        }
                    })
                    .doOnNext(made -> all.add(instance));
        }

        @Override
        public Flux<List<ServiceInstance>> instances(String service) {
            return Flux.just(
                    all.stream().filter(each -> each.service().equals(service)).toList());
        }

        @Override
        public Flux<MemberEvent> members() {
            return Flux.never();
        }

        @Override
        public List<Member> snapshot() {
            return List.of();
        }

        @Override
        public Mono<Void> attributes(Map<String, String> attributes) {
            return Mono.empty();
        }

        @Override
        public Mono<Void> close() {
            return Mono.empty();
        }
    }

    private Node start(String name) {
        NodeSpec spec = NodeSpec.builder()
                .name(name)
                .require(Requirement.NONE)
                .order("tcp")
                .path("shm", PathSwitch.OFF)
                .path("local", PathSwitch.OFF)
                .connectTimeout(LIMIT)
                .handshakeTimeout(LIMIT)
                .stepTimeout(LIMIT)
                .build();
        Node node = got(Node.start(spec));
        started.add(node);
        return node;
    }

    private static <T> T got(Mono<T> outcome) {
        return Objects.requireNonNull(outcome.block(LIMIT));
    }

    @AfterEach
    void close() {
        Flux.fromIterable(started).flatMap(Node::close).then().block(LIMIT);
    }

    @Test
    void theFirstGatewayThatGetsThereIsTaken() {
        Node server = start("server");
        Node elsewhere = start("elsewhere");
        Node full = start("full");
        Node right = start("right");
        Node client = start("client");
        Announced directory = new Announced(new ArrayList<>());
        ServiceInstance instance =
                new ServiceInstance("ledger", server.id(), server.addresses(), "ledger", false, List.of(), Map.of());
        Detour detour = new Detour(client, directory);
        assertThat(detour.to(instance, PathPolicy.unchanged()).blockOptional(LIMIT))
                .isEmpty();
        got(Gateway.serve(elsewhere, GatewaySpec.allowing("10.9.0.0/16"), directory));
        Gateway closed = got(Gateway.serve(full, GatewaySpec.allowing("127.0.0.1"), directory));
        ServiceInstance stale = directory.all().get(1);
        closed.close().block(LIMIT);
        assertThat(directory.all()).hasSize(1);
        directory.all().add(stale);
        assertThat(catchThrowable(() -> got(detour.to(instance, PathPolicy.unchanged()))))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("which serves ledger")
                .hasMessageContaining(full.address().toString())
                .hasMessageContaining("nobody serves port 'weir.gateway'");
        got(Gateway.serve(right, GatewaySpec.allowing("127.0.0.0/8"), directory));

        Peer peer = got(detour.to(instance, PathPolicy.unchanged()));

        assertThat(peer.id()).isEqualTo(server.id());
        assertThat(peer.path().chosen().orElseThrow().reason()).contains("through " + right.id());
    }
}
