package io.weir.service;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Whom a proxy calls: asked anew for each call. Any thread. */
interface Bindings {

    /** Who takes the next call, if that is known at once; else null, and {@link #next()} finds or awaits one. */
    @Nullable
    Binding ready();

    /** Who takes the next call. */
    Mono<Binding> next();
}
