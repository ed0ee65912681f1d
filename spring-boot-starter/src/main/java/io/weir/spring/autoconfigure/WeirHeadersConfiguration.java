package io.weir.spring.autoconfigure;

import io.weir.spring.endpoint.WeirEndpoint;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.server.WebFilter;

/**
 * What the endpoint and its page say to browsers, on whichever port they are: nobody shows them in a frame, where
 * clicks could be stolen, and nothing is taken for another type than it says. Endpoints can't set headers themselves,
 * and a page can't forbid frames.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "weir.enabled", matchIfMissing = true)
@ConditionalOnAvailableEndpoint(endpoint = WeirEndpoint.class, exposure = EndpointExposure.WEB)
public final class WeirHeadersConfiguration {

    private static final String SHORT = "/weir";

    /** What the page allows itself, and no frames. */
    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "base-uri 'none';"
                    + " form-action 'none'; frame-ancestors 'none'",
            "X-Frame-Options",
            "DENY",
            "X-Content-Type-Options",
            "nosniff");

    WeirHeadersConfiguration() {}

    private static boolean isOurs(String path, ObjectProvider<PathMappedEndpoints> endpoints) {
        PathMappedEndpoints all = endpoints.getIfAvailable();
        String endpoint = all == null ? null : all.getPath(EndpointId.of("weir"));
        return path.endsWith(SHORT) || (endpoint != null && path.contains(endpoint));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(WebFilter.class)
    static class Reactive {

        @Bean
        WebFilter weirHeaders(ObjectProvider<PathMappedEndpoints> endpoints) {
            return (exchange, chain) -> {
                if (isOurs(exchange.getRequest().getURI().getPath(), endpoints)) {
                    HEADERS.forEach(exchange.getResponse().getHeaders()::set);
                }
                return chain.filter(exchange);
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({Filter.class, FilterRegistrationBean.class})
    static class Servlet {

        @Bean
        FilterRegistrationBean<Filter> weirHeaders(ObjectProvider<PathMappedEndpoints> endpoints) {
            return new FilterRegistrationBean<>((request, response, chain) -> {
                if (request instanceof HttpServletRequest asked
                        && response instanceof HttpServletResponse answered
                        && isOurs(asked.getRequestURI(), endpoints)) {
                    HEADERS.forEach(answered::setHeader);
                }
                chain.doFilter(request, response);
            });
        }
    }
}
