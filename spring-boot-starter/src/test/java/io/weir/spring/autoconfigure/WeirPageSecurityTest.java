package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.spring.endpoint.WeirEndpoint;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.security.autoconfigure.actuate.web.reactive.EndpointRequest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** Who may not read the endpoint does not get the page either. */
@Tag("whole")
class WeirPageSecurityTest {

    private static final List<String> GUARDED = List.of(
            "/actuator/weir", "/actuator/weir/far", "/actuator/weir/page/index.html", "/actuator/weir/page/page.js");

    private final HttpClient http = HttpClient.newHttpClient();

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class App {}

    /** An application that guards the endpoint and nothing else. */
    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Own {

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        static class Reactive {
            @Bean
            SecurityWebFilterChain rules(ServerHttpSecurity http) {
                return http.authorizeExchange(exchange -> exchange.matchers(EndpointRequest.to(WeirEndpoint.class))
                                .authenticated()
                                .anyExchange()
                                .permitAll())
                        .httpBasic(Customizer.withDefaults())
                        .build();
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
        static class Servlet {
            @Bean
            SecurityFilterChain rules(HttpSecurity http) throws Exception {
                return http.authorizeHttpRequests(
                                request -> request.requestMatchers(org.springframework.boot.security.autoconfigure
                                                .actuate.web.servlet.EndpointRequest.to(WeirEndpoint.class))
                                        .authenticated()
                                        .anyRequest()
                                        .permitAll())
                        .httpBasic(Customizer.withDefaults())
                        .build();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"reactive", "servlet"})
    void bootsOwnRuleAsksForALogin(String web) throws Exception {
        try (var context = run(App.class, web)) {
            assertThat(status(context, "/weir", false)).isEqualTo(401);
            check(context);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"reactive", "servlet"})
    void aRuleForTheEndpointIsOneForThePage(String web) throws Exception {
        try (var context = run(Own.class, web)) {
            // It only leads there.
            assertThat(status(context, "/weir", false)).isEqualTo(302);
            check(context);
        }
    }

    private void check(ConfigurableApplicationContext context) throws IOException, InterruptedException {
        for (String path : GUARDED) {
            assertThat(status(context, path, false)).as(path).isEqualTo(401);
        }
        assertThat(status(context, "/weir", true)).isEqualTo(302);
        assertThat(status(context, "/actuator/weir", true)).isEqualTo(200);
        assertThat(status(context, "/actuator/weir/page/index.html", true)).isEqualTo(200);
    }

    private int status(ConfigurableApplicationContext context, String path, boolean loggedIn)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + path))
                .header("X-Requested-With", "XMLHttpRequest");
        if (loggedIn) {
            String login = Base64.getEncoder().encodeToString("ada:secret".getBytes(StandardCharsets.UTF_8));
            request.header("Authorization", "Basic " + login);
        }
        return http.send(request.timeout(Patience.LIMIT).build(), BodyHandlers.discarding())
                .statusCode();
    }

    private static ConfigurableApplicationContext run(Class<?> application, String web) {
        return SpringApplication.run(
                application,
                "--spring.main.web-application-type=" + web,
                "--server.port=0",
                OneRequest.PER_CONNECTION,
                "--spring.main.banner-mode=off",
                "--spring.cloud.compatibility-verifier.enabled=false",
                "--spring.security.user.name=ada",
                "--spring.security.user.password=secret",
                "--management.endpoints.web.exposure.include=weir",
                "--weir.directory=off",
                "--weir.peers.far.address=tcp://127.0.0.1:1");
    }
}
