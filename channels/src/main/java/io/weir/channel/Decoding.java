package io.weir.channel;

import io.weir.core.Codec;
import io.weir.core.Frame;
import io.weir.core.InPlaceCodec;
import io.weir.core.Message;
import io.weir.memory.MemoryUse;
import io.weir.path.Logs;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The values of messages that come on a loop: short ones at once, long ones by {@link LongValues}, in order, and all of
 * them on the loop.
 */
final class Decoding<T> implements CoreSubscriber<Message>, Subscription {

    /** Delivers messages one after the other. Loop thread only. */
    interface Source {

        /** Stops the delivery of messages, or resumes it. */
        void pause(boolean whether);

        /** Who gets the values has failed with one of them. */
        void subscriberFailed(Throwable error);
    }

    private final CoreSubscriber<? super T> actual;
    private final LongValues longValues;
    private final Codec<T> codec;
    private final @Nullable InPlaceCodec<T> inPlace;
    /** What is held back while a long value is read; null where no message follows. */
    private final @Nullable Source origin;

    private @Nullable Subscription upstream;
    private Disposable reading = Disposables.disposed();
    private boolean pending;
    private boolean over;
    /** What came after the value that is being read. */
    private @Nullable Runnable last;

    private volatile boolean cancelled;
    /** Who gets the first message as it is; null: nobody, or it has come. */
    private @Nullable Consumer<Message> first;

    private Decoding(CoreSubscriber<? super T> actual, LongValues longValues, Codec<T> codec, @Nullable Source origin) {
        this.actual = actual;
        this.longValues = longValues;
        this.codec = codec;
        this.inPlace = codec instanceof InPlaceCodec<T> its ? its : null;
        this.origin = origin;
    }

    /**
     * What comes in on a channel.
     *
     * @param first takes the first message over as it is, on the loop; null: that is decoded like all others
     */
    static <T> Flux<T> values(
            Flux<Message> received,
            Source origin,
            LongValues longValues,
            Codec<T> codec,
            @Nullable Consumer<Message> first) {
        Objects.requireNonNull(codec, "codec");
        return new FluxOperator<Message, T>(received) {
            @Override
            public void subscribe(CoreSubscriber<? super T> subscriber) {
                Decoding<T> decoding = new Decoding<>(subscriber, longValues, codec, origin);
                decoding.first = first;
                source.subscribe(decoding);
            }
        };
    }

    /** What is answered. */
    static <T> Mono<T> value(LongValues longValues, Mono<Message> answer, Codec<T> codec) {
        return new MonoOperator<Message, T>(answer) {
            @Override
            public void subscribe(CoreSubscriber<? super T> subscriber) {
                source.subscribe(new Decoding<>(subscriber, longValues, codec, null));
            }
        };
    }

    /**
     * What the handler yields for this request, which is taken over and counts as one in the account of memory. On the
     * loop, and so is the handler.
     */
    static <A, B> Mono<B> one(
            LongValues longValues,
            Message request,
            Codec<A> codec,
            Function<? super A, ? extends Publisher<? extends B>> handler) {
        HeldMemory memory = longValues.held(MemoryUse.REQUESTS, request);
        if (request.size() > LongValues.SHORT) {
            return later(longValues, request, 0, codec, memory)
                    .<B>flatMap(value -> Mono.from(handler.apply(value)))
                    .doFinally(end -> memory.release());
        }
        Mono<B> result = at(memory, () -> Mono.from(handler.apply(request.decode(codec, memory))));
        return memory.isEmpty() ? result : result.doFinally(end -> memory.release());
    }

    /** As {@link #one}, but all that it yields, and the request does not count yet. */
    static <A, B> Flux<B> many(
            LongValues longValues,
            Message request,
            Codec<A> codec,
            Function<? super A, ? extends Publisher<? extends B>> handler) {
        HeldMemory memory = longValues.held(MemoryUse.REQUESTS, request);
        if (request.size() > LongValues.SHORT) {
            return later(longValues, request, MessageCost.of(request), codec, memory)
                    .<B>flatMapMany(handler)
                    .doFinally(end -> memory.release());
        }
        Flux<B> result = at(memory, () -> Flux.from(handler.apply(request.decode(codec, memory))));
        return memory.isEmpty() ? result : result.doFinally(end -> memory.release());
    }

    /** What this yields; if it fails, nothing is held. */
    private static <R> R at(HeldMemory memory, Supplier<R> work) {
        boolean done = false;
        try {
            R result = work.get();
            done = true;
            return result;
        } finally {
            if (!done) {
                memory.release();
            }
        }
    }

    /** To be subscribed to once, which is when the message is taken over. */
    private static <A> Mono<A> later(
            LongValues longValues, Message message, long cost, Codec<A> codec, HeldMemory memory) {
        return Mono.create(sink -> {
            // Also for as long as it is read, whichever side goes meanwhile.
            memory.retain();
            longValues.execute(() -> sink.onDispose(longValues.read(message, cost, codec, memory, (value, error) -> {
                if (error == null) {
                    sink.success(value);
                } else {
                    sink.error(error);
                }
            })));
        });
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        actual.onSubscribe(this);
    }

    @Override
    public void onNext(Message message) {
        Consumer<Message> its = first;
        if (over) {
            message.release();
        } else if (its != null) {
            first = null;
            its.accept(message);
        } else if (message.size() <= LongValues.SHORT) {
            T value;
            try {
                value = made(message.decode(codec));
            } catch (Throwable t) {
                failedHere(t);
                return;
            }
            actual.onNext(value);
        } else {
            pending = true;
            if (origin != null) {
                origin.pause(true);
            }
            reading = longValues.read(message, MessageCost.of(message), codec, this::read);
        }
    }

    /** Whether it can ever do without a message. */
    boolean isInPlace() {
        return inPlace != null;
    }

    /** See {@link MessageSink#takesContent}. */
    boolean takesContent() {
        return first == null && !pending && !over;
    }

    /** See {@link MessageSink#content}. */
    void content(Frame frame) {
        T value;
        try {
            value = made(frame.read(Objects.requireNonNull(inPlace)));
        } catch (Throwable t) {
            failedHere(t);
            return;
        }
        actual.onNext(value);
    }

    private void read(@Nullable T value, @Nullable Throwable error) {
        pending = false;
        if (cancelled) {
            return;
        }
        if (value == null) {
            failedLate(Objects.requireNonNull(error));
        } else {
            emit(value);
        }
        Runnable end = last;
        if (end != null) {
            end.run();
        } else if (origin != null) {
            origin.pause(false);
        }
    }

    private void emit(T value) {
        try {
            actual.onNext(value);
        } catch (Throwable t) {
            // As with what is delivered at once.
            if (origin == null) {
                Logs.PORTS.error("Who has asked {} has failed", longValues.peer(), t);
            } else {
                origin.subscriberFailed(t);
            }
        }
    }

    /**
     * What Reactor calls fatal it throws: to a channel whose message it was, but here there is nobody behind it, and
     * somebody waits.
     */
    private void failedLate(Throwable reason) {
        try {
            failed(reason);
        } catch (Throwable fatal) {
            Objects.requireNonNull(upstream).cancel();
            if (!over) {
                over = true;
                actual.onError(fatal);
            }
        }
    }

    /** What a codec has made of a message, which must not be null. */
    static <T> T made(@Nullable T value) {
        return Objects.requireNonNull(value, "the codec has made null of a message");
    }

    private void failedHere(Throwable reason) {
        if (origin == null) {
            failedLate(reason);
        } else {
            failed(reason);
        }
    }

    /** As {@link Flux#map} does, whose place this takes. */
    private void failed(Throwable reason) {
        Subscription its = Objects.requireNonNull(upstream);
        Throwable error = Operators.onNextError(null, reason, actual.currentContext(), its);
        if (error == null) {
            its.request(1);
        } else if (!over) {
            over = true;
            actual.onError(error);
        }
    }

    @Override
    public void onError(Throwable error) {
        end(() -> actual.onError(error));
    }

    @Override
    public void onComplete() {
        end(actual::onComplete);
    }

    private void end(Runnable signal) {
        Runnable once = () -> {
            if (!over) {
                over = true;
                signal.run();
            }
        };
        if (pending) {
            last = once;
        } else {
            once.run();
        }
    }

    @Override
    public void request(long n) {
        Objects.requireNonNull(upstream).request(n);
    }

    @Override
    public void cancel() {
        cancelled = true;
        Objects.requireNonNull(upstream).cancel();
        longValues.execute(() -> reading.dispose());
    }
}
