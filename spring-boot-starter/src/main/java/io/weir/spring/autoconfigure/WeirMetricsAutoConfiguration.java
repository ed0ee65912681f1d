package io.weir.spring.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The meters of the node, in every registry; {@code management.metrics.enable.weir=false} leaves them out. */
@AutoConfiguration(
        after = WeirAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({NodeStarter.class, MeterRegistry.class})
public final class WeirMetricsAutoConfiguration {

    WeirMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "weirMeters")
    NodeMeters weirMeters(NodeStarter starter) {
        return new NodeMeters(starter.whenThere());
    }
}
