package io.weir.samples.shop.prices;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.samples.shop.shared.Price;
import io.weir.samples.shop.shared.Prices;
import io.weir.spring.RemoteService;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ThreadLocalRandom;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

// tag::shopprices
@RemoteService
class ListedPrices implements Prices {

    private static final Map<String, Long> CENTS = Map.of("bread", 420L, "salt", 95L, "tea", 610L);

    private final Counter ticks;

    ListedPrices(MeterRegistry meters) {
        this.ticks = meters.counter("shop.ticks");
    }

    @Override
    public Mono<Price> quote(String article) {
        return Mono.justOrEmpty(CENTS.get(article))
                .map(cents -> new Price(article, cents))
                .switchIfEmpty(Mono.error(() -> new NoSuchElementException("there is no " + article)));
    }

    @Override
    public Flux<Price> ticks(String article) {
        return quote(article)
                .flatMapMany(first -> Flux.generate(first::cents, (cents, sink) -> {
                    ticks.increment();
                    sink.next(new Price(article, cents));
                    return Math.max(1, cents + ThreadLocalRandom.current().nextLong(-2, 3));
                }));
    }
}
// end::shopprices
