package io.weir.channel;

import io.weir.core.Message;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber that releases what it gets and counts. It asks for as much as it is told to. */
final class Taker implements CoreSubscriber<Message> {

    private @Nullable Subscription subscription;
    int messages;
    int ends;

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
    }

    Subscription subscription() {
        return Objects.requireNonNull(subscription);
    }

    @Override
    public void onNext(Message message) {
        messages++;
        message.release();
    }

    @Override
    public void onError(Throwable error) {
        ends++;
    }

    @Override
    public void onComplete() {
        ends++;
    }
}
