package io.weir.spring.autoconfigure;

import io.weir.spring.WeirStatus;
import io.weir.spring.endpoint.WeirEndpoint;
import io.weir.spring.endpoint.WeirEndpointWebExtension;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The endpoint {@code weir}, where it is exposed. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(NodeStarter.class)
@ConditionalOnAvailableEndpoint(WeirEndpoint.class)
@Import(StatusConfiguration.class)
public final class WeirEndpointAutoConfiguration {

    WeirEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    WeirEndpoint weirEndpoint(WeirStatus status) {
        return new WeirEndpoint(status);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    WeirEndpointWebExtension weirEndpointWebExtension(WeirEndpoint endpoint) {
        return new WeirEndpointWebExtension(endpoint);
    }
}
