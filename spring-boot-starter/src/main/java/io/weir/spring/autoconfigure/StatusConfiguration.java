package io.weir.spring.autoconfigure;

import io.weir.config.NodeSpec;
import io.weir.spring.WeirStatus;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What all that shows the node has in common. */
@Configuration(proxyBeanMethods = false)
class StatusConfiguration {

    @Bean
    @ConditionalOnMissingBean(WeirStatus.class)
    LookedAt weirStatus(
            ConfigurableListableBeanFactory beans, NodeSpec spec, ObjectProvider<WeirProperties> properties) {
        return new LookedAt(beans, spec, properties);
    }
}
