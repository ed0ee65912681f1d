package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.spring.WeirPeers;
import io.weir.spring.WeirStatus;
import io.weir.spring.health.WeirHealth;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Mono;

class WeirHealthAutoConfigurationTest {

    private static final String NOBODY = "tcp://127.0.0.1:1";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    WeirCodecAutoConfiguration.class,
                    WeirAutoConfiguration.class,
                    WeirHealthAutoConfiguration.class,
                    HealthContributorAutoConfiguration.class,
                    HealthContributorRegistryAutoConfiguration.class))
            .withPropertyValues("weir.directory=off");

    @Test
    void withoutPeersTheNodeIsShown() {
        runner.run(context -> {
            Health health = health(context, "node");
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("node", context.getBean(Node.class).id().toString())
                    .containsKey("addresses");
            assertThat(entries(context)).containsExactly("node");
        });
    }

    @Test
    void aConnectedPeerIsUpAndTellsItsPath() {
        Node far = Objects.requireNonNull(
                Node.start(NodeSpec.builder().name("far").build()).block(Patience.LIMIT));
        try {
            runner.withPropertyValues("weir.peers.far.address=" + far.address(), "weir.peers.other.address=" + NOBODY)
                    .run(context -> {
                        assertThat(entries(context)).containsExactly("far", "other");
                        assertThat(health(context, "far").getStatus()).isEqualTo(Status.UNKNOWN);
                        var unused = context.getBean(WeirPeers.class)
                                .get("far")
                                .connection()
                                .block(Patience.LIMIT);
                        Health health = health(context, "far");
                        assertThat(health.getStatus()).isEqualTo(Status.UP);
                        assertThat(health.getDetails())
                                .containsEntry("node", far.id().toString())
                                .containsEntry("path", "local")
                                .containsKey("since");
                        far.close().block(Patience.LIMIT);
                        Patience.until(
                                () -> "it is away: " + health(context, "far"),
                                () -> health(context, "far").getStatus().equals(Status.UNKNOWN));
                        assertThat(health(context, "far").getDetails().get("lastFailure"))
                                .asString()
                                .contains("has left");
                    });
        } finally {
            far.close().block(Patience.LIMIT);
        }
    }

    @Test
    void askingConnectsToNobody() {
        Node far = Objects.requireNonNull(
                Node.start(NodeSpec.builder().name("far").build()).block(Patience.LIMIT));
        try {
            runner.withPropertyValues("weir.peers.far.address=" + far.address()).run(context -> {
                Health health = health(context, "far");
                assertThat(health.getDetails())
                        .containsEntry("connection", "away")
                        .doesNotContainKey("lastFailure");
                assertThat(context.getBean(Node.class).peerStates().get("far").lastFailure())
                        .isEmpty();
                assertThat(far.connected()).isEmpty();
            });
        } finally {
            far.close().block(Patience.LIMIT);
        }
    }

    @Test
    void whoIsNotOptionalIsDownWhileAway() {
        runner.withPropertyValues(
                        "weir.peers.needed.address=" + NOBODY,
                        "weir.peers.needed.connect=eager",
                        "weir.peers.needed.optional=false",
                        "weir.peers.nice.address=" + NOBODY,
                        "weir.peers.nice.connect=eager")
                .run(context -> {
                    Patience.until(
                            () -> "both were tried: " + health(context, "needed") + health(context, "nice"),
                            () -> health(context, "needed").getDetails().containsKey("lastFailure")
                                    && health(context, "nice").getDetails().containsKey("lastFailure"));
                    assertThat(health(context, "needed").getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health(context, "needed").getDetails())
                            .containsEntry("address", NOBODY)
                            .containsKey("since");
                    assertThat(health(context, "nice").getStatus()).isEqualTo(Status.UNKNOWN);
                    Patience.until(
                            () -> "it is tried again at some time: " + health(context, "needed"),
                            () -> health(context, "needed").getDetails().containsKey("nextTry"));
                });
    }

    @Test
    void whoIsInTheDirectoryIsCounted() {
        runner.withPropertyValues(
                        "weir.directory=local",
                        "weir.runtime-folder=target/health",
                        "weir.peers.bills.service=billing",
                        "weir.peers.bills.optional=false",
                        "weir.peers.any.optional=false")
                .run(context -> {
                    assertThat(health(context, "any").getStatus()).isEqualTo(Status.UNKNOWN);
                    Services services = context.getBean(Services.class);
                    Patience.until(
                            () -> "nobody serves it: " + health(context, "bills"),
                            () -> health(context, "bills").getStatus().equals(Status.DOWN));
                    var unused = services.answer(ServiceSpec.of("billing"), (peer, request) -> Mono.just(request))
                            .block(Patience.LIMIT);
                    Patience.until(
                            () -> "somebody does: " + health(context, "bills"),
                            () -> health(context, "bills").getStatus().equals(Status.UP));
                    assertThat(health(context, "bills").getDetails())
                            .containsEntry("instances", 1)
                            .containsEntry("service", "billing");
                });
    }

    /** A web server may be asked before the node is there. */
    @Test
    void peersAreShownBeforeThereIsANode() {
        WeirHealth health = new WeirHealth(new WeirStatus() {
            @Override
            public Optional<Node> node() {
                return Optional.empty();
            }

            @Override
            public Optional<Services> services() {
                return Optional.empty();
            }

            @Override
            public List<io.weir.service.gateway.Gateway> gateways() {
                return List.of();
            }

            @Override
            public List<NamedPeer> peers() {
                return List.of(new NamedPeer(
                        "far", false, null, true, Optional.empty(), Optional.empty(), OptionalInt.empty()));
            }
        });
        HealthIndicator far = (HealthIndicator) Objects.requireNonNull(health.getContributor("far"));
        assertThat(Objects.requireNonNull(far.health()).getStatus()).isEqualTo(Status.UNKNOWN);
        assertThat(Objects.requireNonNull(far.health()).getDetails())
                .containsEntry("reason", "the node is not there yet");
        assertThat(health.getContributor("near")).isNull();
    }

    /** It is only looked for, so that looking does not start it either. */
    @Test
    void lookingMakesNothing() {
        runner.run(context -> {
            WeirStatus status = context.getBean(WeirStatus.class);
            assertThat(status.node()).containsSame(context.getBean(Node.class));
            assertThat(status.services()).isEmpty();
            assertThat(status.services()).isEmpty();
            Services services = context.getBean(Services.class);
            assertThat(status.services()).containsSame(services);
        });
    }

    @Test
    void itBacksOff() {
        runner.withPropertyValues("management.health.weir.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(WeirHealth.class));
        runner.withPropertyValues("weir.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(WeirHealth.class));
        runner.withBean(
                        "weirHealthContributor",
                        HealthIndicator.class,
                        () -> () -> Health.up().build())
                .run(context -> assertThat(context).doesNotHaveBean(WeirHealth.class));
    }

    private static CompositeHealthContributor weir(ApplicationContext context) {
        return (CompositeHealthContributor) Objects.requireNonNull(
                context.getBean(HealthContributorRegistry.class).getContributor("weir"));
    }

    private static List<String> entries(ApplicationContext context) {
        return weir(context).stream().map(HealthContributors.Entry::name).toList();
    }

    private static Health health(ApplicationContext context, String name) {
        HealthIndicator indicator =
                (HealthIndicator) Objects.requireNonNull(weir(context).getContributor(name), name);
        return Objects.requireNonNull(indicator.health(true));
    }
}
