package io.weir.spring.ahead;

import io.weir.core.Codecs;
import io.weir.service.ServiceClient;
import io.weir.spring.ChannelHandler;
import io.weir.spring.PeerPort;
import io.weir.spring.RemoteService;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls itself in every way, prints what it hears, and ends. */
@SpringBootApplication
class Application {

    static final String HEARD = "heard: ";

    /** What it serves. */
    @RemoteService("greeter")
    static class Polite implements Greeter {
        @Override
        public Mono<Greeter.Greeting> greet(Greeter.Name name) {
            return Mono.just(new Greeter.Greeting("Hello, " + name.text()));
        }
    }

    /** Whom it calls. */
    record Calls(Greeter greeter, ServiceClient echo) {}

    @Bean
    Calls calls(
            @Qualifier("io.weir.spring.ahead.Greeter") Greeter greeter,
            @PeerPort(peer = "self", port = "echo") ServiceClient echo) {
        return new Calls(greeter, echo);
    }

    @Bean
    ChannelHandler echo() {
        return channel -> channel.send(channel.receive());
    }

    public static void main(String[] arguments) {
        try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, arguments)) {
            Calls calls = context.getBean(Calls.class);
            var greeting = calls.greeter().greet(new Greeter.Name("Ada")).block();
            var echoed = Flux.just("and", "Grace")
                    .transform(calls.echo().stage(Codecs.text(), Codecs.text()))
                    .collectList()
                    .block();
            System.out.println(HEARD + greeting + " " + echoed);
        }
    }
}
