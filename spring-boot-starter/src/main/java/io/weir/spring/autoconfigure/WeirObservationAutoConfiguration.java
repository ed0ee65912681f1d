package io.weir.spring.autoconfigure;

import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import io.weir.channel.ClientCallContext;
import io.weir.channel.ServerCallContext;
import io.weir.channel.WeirObservations;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Times and traces of calls, where there is a registry of observations. */
@AutoConfiguration(
        before = WeirAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "weir.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "weir.observation.enabled", matchIfMissing = true)
public final class WeirObservationAutoConfiguration {

    WeirObservationAutoConfiguration() {}

    /** One among the interceptors of the node. */
    @Bean
    @ConditionalOnMissingBean
    WeirObservations weirObservations(
            ObservationRegistry registry,
            ObjectProvider<ObservationConvention<ClientCallContext>> client,
            ObjectProvider<ObservationConvention<ServerCallContext>> server) {
        return new WeirObservations(registry, client.getIfAvailable(), server.getIfAvailable());
    }
}
