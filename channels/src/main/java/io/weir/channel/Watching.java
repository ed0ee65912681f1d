package io.weir.channel;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.util.context.Context;

/**
 * Reports to a call how it ends, and gives it its context. A cancel or a completion behind the value of a {@code Mono}
 * is reported as well. The calls of {@link Interceptors} ignore all reports but the first.
 */
final class Watching<T> implements CoreSubscriber<T>, Subscription {

    private final WatchedCall call;
    /** Ends with its first value, whatever becomes of that. */
    private final boolean single;

    private final CoreSubscriber<? super T> actual;
    private final Context context;
    private @Nullable Subscription upstream;

    Watching(WatchedCall call, boolean single, CoreSubscriber<? super T> actual) {
        this.call = call;
        this.single = single;
        this.actual = actual;
        this.context = call.context(actual.currentContext());
    }

    /**
     * Ends a call as this ends, or with its first item, and gives it the call's context.
     *
     * @param work to be subscribed to once
     */
    static <T> Mono<T> over(Mono<T> work, WatchedCall call) {
        return new MonoOperator<T, T>(work) {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                source.subscribe(new Watching<>(call, true, actual));
            }
        };
    }

    /**
     * As {@link #over(Mono, WatchedCall)}.
     *
     * @param single whether its first item ends the call
     */
    static <T> Flux<T> over(Flux<T> work, WatchedCall call, boolean single) {
        return new FluxOperator<T, T>(work) {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                source.subscribe(new Watching<>(call, single, actual));
            }
        };
    }

    /** What a handler returns that is called within the scope of its call. */
    static <T> T opened(IncomingCall call, Supplier<T> handler) {
        try (IncomingCall.Scope unused = call.open()) {
            return handler.get();
        } catch (Throwable t) {
            call.ended(CallOutcome.ERROR, t);
            throw t;
        }
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        actual.onSubscribe(this);
    }

    @Override
    public void onNext(T value) {
        if (single) {
            call.ended(CallOutcome.SUCCESS, null);
        }
        actual.onNext(value);
    }

    @Override
    public void onError(Throwable error) {
        call.ended(CallOutcome.ERROR, error);
        actual.onError(error);
    }

    @Override
    public void onComplete() {
        call.ended(CallOutcome.SUCCESS, null);
        actual.onComplete();
    }

    @Override
    public void request(long n) {
        Subscription source = upstream;
        if (source != null) {
            source.request(n);
        }
    }

    @Override
    public void cancel() {
        call.ended(CallOutcome.CANCELLED, null);
        Subscription source = upstream;
        if (source != null) {
            source.cancel();
        }
    }
}
