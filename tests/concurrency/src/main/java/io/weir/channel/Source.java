package io.weir.channel;

import io.weir.core.Message;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** A publisher that emits when it is told to, on the thread that tells it. */
final class Source implements Publisher<Message> {

    private @Nullable Subscriber<? super Message> subscriber;
    /** What was asked for so far. Loop only. */
    private long asked;
    /** What to do when more is asked for, once. Loop only. */
    private Runnable onRequest = () -> {};

    /**
     * Subscribes a channel to a source that has emitted enough for the channel to ask for more than one message at
     * once.
     */
    static Source subscribed(Line line, Sent outcome) {
        Source source = new Source();
        line.loop.drive(() -> line.channel().send(source).subscribe(outcome));
        line.loop.drive(() -> {
            source.emit(new Body());
            source.emit(new Body());
        });
        if (source.asked < 4) {
            throw new IllegalStateException("asked for " + source.asked + " messages only");
        }
        line.wire.messages = 0;
        return source;
    }

    @Override
    public void subscribe(Subscriber<? super Message> to) {
        subscriber = to;
        to.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                asked += n;
                Runnable now = onRequest;
                onRequest = () -> {};
                now.run();
            }

            @Override
            public void cancel() {
                // It may go on for a while, and here it does.
            }
        });
    }

    void whenAsked(Runnable task) {
        onRequest = task;
    }

    void emit(Body body) {
        Objects.requireNonNull(subscriber).onNext(Message.of(body));
    }

    void complete() {
        Objects.requireNonNull(subscriber).onComplete();
    }
}
