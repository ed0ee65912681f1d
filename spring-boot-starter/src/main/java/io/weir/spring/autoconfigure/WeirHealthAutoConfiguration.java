package io.weir.spring.autoconfigure;

import io.weir.spring.WeirStatus;
import io.weir.spring.health.WeirHealth;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The health of the peers that the properties name. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(NodeStarter.class)
@ConditionalOnEnabledHealthIndicator("weir")
@Import(StatusConfiguration.class)
public final class WeirHealthAutoConfiguration {

    WeirHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = {"weirHealthContributor", "weirHealthIndicator"})
    WeirHealth weirHealthContributor(WeirStatus status) {
        return new WeirHealth(status);
    }
}
