package io.weir.benchmark.contender;

import io.weir.benchmark.contender.Quotes.Order;
import io.weir.benchmark.contender.Quotes.Quote;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/**
 * The same call between two services of Spring Boot over HTTP, from a WebClient to WebFlux; nothing of it is observed.
 */
final class WebClientContender implements Contender {

    private final Setup setup;
    private @Nullable ConfigurableApplicationContext server;
    private @Nullable LoopResources loop;
    private @Nullable ConnectionProvider connections;

    WebClientContender(Setup setup) {
        this.setup = setup;
    }

    /** What is called. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Serving {

        @Bean
        RouterFunction<ServerResponse> quotes(Pinning pinning) {
            return RouterFunctions.route()
                    .POST("/quote", request -> answer(request, pinning))
                    .build();
        }

        private static Mono<ServerResponse> answer(ServerRequest request, Pinning pinning) {
            pinning.pinHere();
            return request.bodyToMono(Order.class)
                    .flatMap(order -> ServerResponse.ok().bodyValue(order.quote()));
        }
    }

    @Override
    public String serve(Cell cell) {
        ConfigurableApplicationContext started = BootContender.start(
                Serving.class,
                setup.pinning(),
                WebApplicationType.REACTIVE,
                List.of(
                        "--server.address=" + Loops.HOST,
                        "--server.port=0",
                        "--weir.enabled=false",
                        "--management.observations.enable.all=false"),
                List.of());
        server = started;
        return "http://" + Loops.HOST + ':' + started.getEnvironment().getProperty("local.server.port");
    }

    @Override
    public void drive(Cell cell, String address, Meter meter) throws Exception {
        LoopResources own = LoopResources.create("bench", 1, true);
        loop = own;
        ConnectionProvider pool = ConnectionProvider.create("bench", cell.outstanding());
        connections = pool;
        WebClient client = WebClient.builder()
                .baseUrl(address)
                .clientConnector(
                        new ReactorClientHttpConnector(HttpClient.create(pool).runOn(own)))
                .build();
        Conversation conversation = new Conversation(cell, meter, setup.pinning());
        List<Order> first = new ArrayList<>();
        for (int i = 0; i < cell.outstanding(); i++) {
            first.add(conversation.next());
        }
        meter.begin();
        first.forEach(order -> quote(client, order, conversation, meter));
        meter.await();
    }

    private static void quote(WebClient client, Order order, Conversation conversation, Meter meter) {
        Disposable unused = client.post()
                .uri("/quote")
                .bodyValue(order)
                .retrieve()
                .bodyToMono(Quote.class)
                .subscribe(
                        quote -> {
                            if (conversation.answered(order, quote)) {
                                quote(client, conversation.next(), conversation, meter);
                            }
                        },
                        meter::fail);
    }

    @Override
    public void close() {
        if (connections != null) {
            connections.disposeLater().block(Loops.PATIENCE);
        }
        if (loop != null) {
            loop.disposeLater().block(Loops.PATIENCE);
        }
        if (server != null) {
            server.close();
        }
    }
}
