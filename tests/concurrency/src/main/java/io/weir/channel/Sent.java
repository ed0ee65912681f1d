package io.weir.channel;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Who waits for the end of sending, and counts how often it is told. */
final class Sent implements CoreSubscriber<Void> {

    private @Nullable Subscription subscription;
    int completed;
    int failed;

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
    }

    void cancel() {
        Objects.requireNonNull(subscription).cancel();
    }

    @Override
    public void onNext(Void nothing) {
        throw new IllegalStateException("there is no value of this type");
    }

    @Override
    public void onError(Throwable error) {
        failed++;
    }

    @Override
    public void onComplete() {
        completed++;
    }
}
