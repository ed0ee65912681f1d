package io.weir.service.remote;

import reactor.core.publisher.Mono;

/** Whom a proxy calls: asked anew for each call. Any thread. */
interface Bindings {

    /**
     * Who takes the next call. If that is known at once it is a {@link java.util.concurrent.Callable}, as that of
     * {@link Mono#just}.
     */
    Mono<Binding> next();
}
