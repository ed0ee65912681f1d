package io.weir.samples.manual;

import io.weir.spring.RemoteClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

// tag::bootInterface
@RemoteClient("prices")
public interface Prices {

    Mono<Price> quote(String article);

    Flux<Price> ticks(String article);

    record Price(String article, long cents) {}
}
// end::bootInterface
