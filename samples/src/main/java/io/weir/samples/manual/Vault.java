package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.config.Password;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.WeirException;
import io.weir.service.Balancer;
import io.weir.service.ServiceClient;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import java.nio.file.Path;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Services found by name: announced, called, balanced, guarded. */
public final class Vault {

    private static final Codec<String> TEXT = Codecs.text();

    private Vault() {}

    public static Mono<Registration> announce(Node node, ServiceDirectory directory) {
        // tag::announceservice
        Services services = Services.of(node, directory);
        Mono<Registration> announced = services.answer(
                ServiceSpec.of("prices").with("zone", "eu"), TEXT, TEXT, item -> Mono.just(item + " costs 7"));
        // end::announceservice
        return announced;
    }

    public static Mono<String> call(Services services, String item) {
        // tag::call
        ServiceClient prices = services.service("prices");
        Mono<String> price = prices.ask(item, TEXT, TEXT);
        // end::call
        return price;
    }

    public static Mono<String> again(ServiceClient prices, String item) {
        // tag::again
        Mono<String> price = prices.ask(item, TEXT, TEXT)
                .retryWhen(Retry.backoff(5, Duration.ofMillis(50)).filter(WeirException::mayRepeatIdempotent));
        // end::again
        return price;
    }

    public static ServiceClient balanced(Services services) {
        // tag::balanced
        ServiceClient prices = services.service(
                "prices", as -> as.withBalancer(Balancer.leastOutstanding()).withPatience(Duration.ofSeconds(30)));
        // end::balanced
        return prices;
    }

    public static Mono<Registration> guard(Services services, Path file) {
        // tag::guarded
        Mono<Registration> guarded = services.answer(
                ServiceSpec.of("vault").withPassword(Password.ofFile(file)), TEXT, TEXT, item -> Mono.just("gold"));
        // end::guarded
        return guarded;
    }
}
