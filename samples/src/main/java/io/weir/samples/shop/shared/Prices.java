package io.weir.samples.shop.shared;

import io.weir.service.remote.Idempotent;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** All that the two services share: what the one calls and the other one serves. */
public interface Prices {

    /** What it costs now. Fails for an article that there is not. */
    @Idempotent
    Mono<Price> quote(String article);

    /** Its price as it goes up and down, without end, as fast as the caller takes it. */
    Flux<Price> ticks(String article);
}
