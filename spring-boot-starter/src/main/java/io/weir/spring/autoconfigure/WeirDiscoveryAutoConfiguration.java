package io.weir.spring.autoconfigure;

import io.weir.service.directory.ServiceDirectory;
import io.weir.spring.DiscoveryClientDirectory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import org.springframework.context.annotation.Bean;

/**
 * Spring Cloud as the directory, where {@code weir.discovery.enabled} asks for it: Spring Cloud always has some client,
 * and may know nothing of Weir's services.
 */
@AutoConfiguration(
        before = WeirAutoConfiguration.class,
        afterName = {
            "org.springframework.cloud.client.discovery.composite.reactive.ReactiveCompositeDiscoveryClientAutoConfiguration",
            "org.springframework.cloud.client.discovery.simple.reactive.SimpleReactiveDiscoveryClientAutoConfiguration"
        })
@ConditionalOnClass(ReactiveDiscoveryClient.class)
@ConditionalOnBean(ReactiveDiscoveryClient.class)
@ConditionalOnBooleanProperty(name = "weir.enabled", matchIfMissing = true)
@WithProperties
@ConditionalOnBooleanProperty("weir.discovery.enabled")
public final class WeirDiscoveryAutoConfiguration {

    WeirDiscoveryAutoConfiguration() {}

    /** Closed with the context. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    ServiceDirectory weirServiceDirectory(ReactiveDiscoveryClient client, WeirProperties properties) {
        return new RegisteredElsewhere(
                new DiscoveryClientDirectory(client, properties.discovery().refresh()));
    }
}
