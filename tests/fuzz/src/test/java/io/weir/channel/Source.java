package io.weir.channel;

import io.weir.core.Message;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Emits when the test says so, and never more than it was asked for. */
final class Source implements Publisher<Message>, Subscription {

    private final Consumer<String> wrong;
    private @Nullable Subscriber<? super Message> subscriber;
    private long demand;
    private boolean done;
    boolean cancelled;

    Source(Consumer<String> wrong) {
        this.wrong = wrong;
    }

    @Override
    public void subscribe(Subscriber<? super Message> to) {
        if (subscriber != null) {
            wrong.accept("a source is subscribed to twice");
        }
        subscriber = to;
        to.onSubscribe(this);
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            wrong.accept("a source is asked for " + n);
        }
        demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
    }

    @Override
    public void cancel() {
        cancelled = true;
    }

    /** Nobody waits for it: it was never begun, has ended, or was told to. */
    boolean over() {
        return subscriber == null || done || cancelled;
    }

    /** Emits up to so many. */
    void emit(int most, IntFunction<Message> messages) {
        Subscriber<? super Message> to = subscriber;
        for (int i = 0; i < most && to != null && demand > 0 && !done && !cancelled; i++) {
            demand--;
            to.onNext(messages.apply(i));
        }
    }

    void end(@Nullable Throwable error) {
        Subscriber<? super Message> to = subscriber;
        if (to == null || done || cancelled) {
            return;
        }
        done = true;
        if (error == null) {
            to.onComplete();
        } else {
            to.onError(error);
        }
    }
}
