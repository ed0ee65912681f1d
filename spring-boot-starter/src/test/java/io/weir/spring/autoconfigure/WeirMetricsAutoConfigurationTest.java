package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.spring.WeirPeers;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class WeirMetricsAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    WeirCodecAutoConfiguration.class,
                    WeirAutoConfiguration.class,
                    WeirMetricsAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class, SimpleMeterRegistry::new)
            .withPropertyValues("weir.directory=off");

    @Test
    void theNodeIsMeasured() {
        Node far = Objects.requireNonNull(
                Node.start(NodeSpec.builder().name("far").build()).block(Patience.LIMIT));
        try {
            runner.withPropertyValues("weir.peers.far.address=" + far.address()).run(context -> {
                MeterRegistry registry = context.getBean(MeterRegistry.class);
                // The start of the application does not wait for the meters.
                Patience.until(
                        () -> "loops are measured",
                        () -> registry.find("weir.loop.stalls").functionCounter() != null);
                assertThat(registry.get("weir.loop.stalls").functionCounter().count())
                        .isNotNegative();
                var unused =
                        context.getBean(WeirPeers.class).get("far").connection().block(Patience.LIMIT);
                // What was read just before is not read again at once.
                Patience.until(
                        () -> "the peer is counted",
                        () -> registry.get("weir.peers").gauge().value() == 1
                                && registry.find("weir.messages")
                                                .tags("peer", "far", "path", "local", "direction", "sent")
                                                .functionCounter()
                                        != null);
            });
        } finally {
            far.close().block(Patience.LIMIT);
        }
    }

    @Test
    void everyRegistryHasThem() {
        runner.withBean("other", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    var registries =
                            context.getBeansOfType(SimpleMeterRegistry.class).values();
                    assertThat(registries).hasSize(2);
                    Patience.until(
                            () -> "both have them",
                            () -> registries.stream()
                                    .allMatch(registry ->
                                            registry.find("weir.peers").gauge() != null));
                    assertThat(registries)
                            .allSatisfy(registry -> assertThat(
                                            registry.get("weir.peers").gauge().value())
                                    .isZero());
                });
    }

    @Test
    void theyAreLeftOut() {
        runner.withPropertyValues("management.metrics.enable.weir=false")
                .run(context -> assertThat(context.getBean(MeterRegistry.class)
                                .find("weir.peers")
                                .meter())
                        .isNull());
        runner.withPropertyValues("weir.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(NodeMeters.class));
        runner.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
                .run(context -> assertThat(context).doesNotHaveBean("weirMeters"));
    }
}
