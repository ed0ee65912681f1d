package io.weir.spring.autoconfigure;

import io.weir.spring.endpoint.WeirEndpoint;
import java.net.URI;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.web.server.ConditionalOnManagementPort;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * Leads from {@code /weir} to the page, which lies below the endpoint. On the port of the endpoint only: who may not
 * reach that one need not know where it is.
 */
@AutoConfiguration(after = WeirEndpointAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBooleanProperty(name = "weir.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "weir.page.enabled", matchIfMissing = true)
@ConditionalOnAvailableEndpoint(endpoint = WeirEndpoint.class, exposure = EndpointExposure.WEB)
@ConditionalOnManagementPort(ManagementPortType.SAME)
public final class WeirPageAutoConfiguration {

    private static final String SHORT = "/weir";

    WeirPageAutoConfiguration() {}

    /** Relative, so that it holds below a context path and behind a proxy as well. */
    private static URI page(PathMappedEndpoints endpoints) {
        String endpoint = endpoints.getPath(EndpointId.of("weir"));
        return URI.create((endpoint == null ? SHORT : endpoint).substring(1) + "/page/index.html");
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(RouterFunction.class)
    static class Reactive {

        @Bean
        @ConditionalOnMissingBean(name = "weirPage")
        RouterFunction<ServerResponse> weirPage(ObjectProvider<PathMappedEndpoints> endpoints) {
            return RouterFunctions.route()
                    .GET(
                            SHORT,
                            request -> ServerResponse.status(HttpStatus.FOUND)
                                    .location(page(endpoints.getObject()))
                                    .build())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(org.springframework.web.servlet.function.RouterFunction.class)
    static class Servlet {

        @Bean
        @ConditionalOnMissingBean(name = "weirPage")
        org.springframework.web.servlet.function.RouterFunction<org.springframework.web.servlet.function.ServerResponse>
                weirPage(ObjectProvider<PathMappedEndpoints> endpoints) {
            return org.springframework.web.servlet.function.RouterFunctions.route()
                    .GET(
                            SHORT,
                            request -> org.springframework.web.servlet.function.ServerResponse.status(HttpStatus.FOUND)
                                    .location(page(endpoints.getObject()))
                                    .build())
                    .build();
        }
    }
}
