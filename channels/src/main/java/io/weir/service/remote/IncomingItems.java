package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Calls;
import io.weir.channel.Channel;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.ValueMemory;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Sinks;

/**
 * What a peer sends on the channel of one call: first the call itself, then the items of the stream that the method
 * takes, for one subscriber, whose demand it is. On the loop, but for that subscriber.
 */
final class IncomingItems implements CoreSubscriber<Object> {

    private static final Thrown PLAIN = new Thrown(new Class<?>[0], List.of());

    private final BiFunction<Message, IncomingItems, Flux<Message>> handler;
    private final Sinks.One<Flux<Message>> outcome = Sinks.one();
    private final Items items = new Items();
    private volatile @Nullable Subscription upstream;
    private boolean begun;
    private boolean over;
    /** The items are messages, which are read elsewhere. */
    private boolean readLater;
    /** The items are values that the channel reads: on the loop, but for long ones. */
    private volatile boolean decoded;

    private @Nullable ContractMethod method;
    private @Nullable Peer from;

    private IncomingItems(BiFunction<Message, IncomingItems, Flux<Message>> handler) {
        this.handler = handler;
    }

    /**
     * Serves the channel of one call.
     *
     * @param handler what is to be sent for the call, which it does not release
     */
    static Mono<Void> serve(Channel channel, BiFunction<Message, IncomingItems, Flux<Message>> handler) {
        IncomingItems incoming = new IncomingItems(handler);
        Calls.receiveBehind(incoming::begin, channel, incoming.new Reading()).subscribe(incoming);
        return incoming.outcome
                .asMono()
                // What is made on one thread may meet the cancel of another one.
                .flatMap(answers -> channel.send(answers.doOnDiscard(Message.class, Message::release)));
    }

    /** What follows, as the stream that this method takes. */
    Flux<Object> of(ContractMethod its, Peer sender) {
        method = its;
        from = sender;
        decoded = its.streamed().isDecoded();
        if (!its.streamed().readsSlowly()) {
            return items;
        }
        readLater = true;
        return Replies.later(items.cast(Message.class)).handle((message, sink) -> {
            try {
                sink.next(read(message.payload()));
            } catch (Throwable t) {
                sink.error(t);
            }
        });
    }

    private Object read(ByteBuf payload) throws Throwable {
        return read(payload, null);
    }

    private Object read(ByteBuf payload, @Nullable ValueMemory memory) throws Throwable {
        ContractMethod called = Objects.requireNonNull(method);
        return Replies.read(called, called.streamed(), PLAIN, payload, Objects.requireNonNull(from), memory);
    }

    /** Items that a codec reads. Others stay messages. */
    private final class Reading extends ReadingCodec {

        @Override
        Object read(ByteBuf payload, @Nullable ValueMemory memory) throws Throwable {
            if (decoded) {
                return IncomingItems.this.read(payload, memory);
            }
            // On another thread it may be dropped.
            return Message.of(memory == null ? payload.retain() : Place.copy(payload));
        }
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        subscription.request(1);
    }

    @Override
    public void onNext(Object next) {
        if (next instanceof Message message) {
            item(message);
        } else if (!over) {
            items.next(next);
        }
    }

    private void begin(Message call) {
        begun = true;
        try {
            if (!over) {
                Flux<Message> answer = handler.apply(call, this);
                outcome.tryEmitValue(answer).orThrow();
            }
        } finally {
            call.release();
        }
        if (method == null) {
            over = true;
            subscription().cancel();
        }
    }

    private void item(Message message) {
        try {
            if (over) {
                return;
            }
            items.next(readLater ? message.retain() : read(message.payload()));
        } catch (Throwable t) {
            over = true;
            subscription().cancel();
            items.end(Signal.error(t));
        } finally {
            message.release();
        }
    }

    private Subscription subscription() {
        return Objects.requireNonNull(upstream);
    }

    @Override
    public void onError(Throwable error) {
        end(Signal.error(error));
        if (!begun) {
            var unused = outcome.tryEmitError(error);
        }
    }

    @Override
    public void onComplete() {
        end(Signal.complete());
        if (!begun) {
            var unused = outcome.tryEmitEmpty();
        }
    }

    private void end(Signal<Object> signal) {
        if (!over) {
            over = true;
            items.end(signal);
        }
    }

    /** The stream for the method, which may be subscribed to on any thread, or never. */
    private final class Items extends Flux<Object> {

        private final AtomicBoolean taken = new AtomicBoolean();
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable CoreSubscriber<? super Object> reader;
        private volatile boolean subscribed;
        private volatile @Nullable Signal<Object> end;

        @Override
        public void subscribe(CoreSubscriber<? super Object> actual) {
            if (!taken.compareAndSet(false, true)) {
                Operators.error(
                        actual, new IllegalStateException("the stream of a call has one subscriber: share one Flux"));
                return;
            }
            reader = actual;
            actual.onSubscribe(subscription());
            subscribed = true;
            tell();
        }

        /** It was asked for, so there is somebody. */
        void next(Object item) {
            Objects.requireNonNull(reader).onNext(item);
        }

        void end(Signal<Object> signal) {
            end = signal;
            tell();
        }

        private void tell() {
            Signal<Object> signal = end;
            if (signal != null && subscribed && ended.compareAndSet(false, true)) {
                signal.accept(Objects.requireNonNull(reader));
            }
        }
    }
}
