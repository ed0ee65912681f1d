package io.weir.service.remote;

import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** A call that yields at most one value, begun anew with each subscription. */
final class CallMono extends Mono<Object> {

    private final CallingMethod method;
    private final @Nullable Object[] arguments;

    CallMono(CallingMethod method, @Nullable Object[] arguments) {
        this.method = method;
        this.arguments = arguments;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Object> actual) {
        actual.onSubscribe(new Call(method, arguments, actual));
    }
}
