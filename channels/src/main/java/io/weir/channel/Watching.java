package io.weir.channel;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.util.context.Context;

/** Reports to a call how it ends, and gives it its context. */
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
