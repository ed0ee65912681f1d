package io.weir.channel;

import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Codec;
import io.weir.core.InPlaceCodec;
import io.weir.core.Message;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Makes messages of values, as {@link Flux#map} does, but has a {@link Target} take a value without a message where it
 * can.
 */
final class Encoding<T> implements CoreSubscriber<T>, Subscription {

    /** A subscriber that can do without some messages. */
    interface Target {

        /**
         * Takes the value instead of a message, if it can; nothing has happened otherwise. What the codec throws is
         * thrown on.
         */
        <T> boolean takes(T value, InPlaceCodec<T> codec);
    }

    private final CoreSubscriber<? super Message> actual;
    private final InPlaceCodec<T> codec;
    private final Supplier<ByteBufAllocator> memory;
    private final @Nullable Target target;
    private @Nullable Subscription upstream;
    private boolean over;

    private Encoding(CoreSubscriber<? super Message> actual, InPlaceCodec<T> codec, Supplier<ByteBufAllocator> memory) {
        this.actual = actual;
        this.codec = codec;
        this.memory = memory;
        this.target = actual instanceof Target its ? its : null;
    }

    /** The values as messages, which come from this memory. */
    static <T> Flux<Message> messages(
            Publisher<? extends T> values, Codec<T> codec, Supplier<ByteBufAllocator> memory) {
        Objects.requireNonNull(codec, "codec");
        if (!(codec instanceof InPlaceCodec<T> inPlace)) {
            return Flux.from(values).map(value -> Message.of(codec.encode(value, memory.get())));
        }
        return new FluxOperator<T, Message>(Flux.from(values)) {
            @Override
            public void subscribe(CoreSubscriber<? super Message> subscriber) {
                source.subscribe(new Encoding<>(subscriber, inPlace, memory));
            }
        };
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        if (Operators.validate(upstream, subscription)) {
            upstream = subscription;
            actual.onSubscribe(this);
        }
    }

    @Override
    public void onNext(T value) {
        if (over) {
            Operators.onNextDropped(value, actual.currentContext());
            return;
        }
        Target to = target;
        Message message;
        try {
            if (to != null && to.takes(value, codec)) {
                return;
            }
            message = Message.of(codec.encode(value, memory.get()));
        } catch (Throwable t) {
            failed(value, t);
            return;
        }
        actual.onNext(message);
    }

    private void failed(T value, Throwable reason) {
        Subscription its = Objects.requireNonNull(upstream);
        Throwable error = Operators.onNextError(value, reason, actual.currentContext(), its);
        if (error == null) {
            its.request(1);
        } else {
            onError(error);
        }
    }

    @Override
    public void onError(Throwable error) {
        if (over) {
            Operators.onErrorDropped(error, actual.currentContext());
            return;
        }
        over = true;
        actual.onError(error);
    }

    @Override
    public void onComplete() {
        if (!over) {
            over = true;
            actual.onComplete();
        }
    }

    @Override
    public void request(long n) {
        Objects.requireNonNull(upstream).request(n);
    }

    @Override
    public void cancel() {
        Objects.requireNonNull(upstream).cancel();
    }
}
