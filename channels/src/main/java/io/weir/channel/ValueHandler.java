package io.weir.channel;

import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Codec;
import io.weir.core.Frame;
import io.weir.core.InPlaceCodec;
import io.weir.core.Message;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** Answers requests that are values with values. */
final class ValueHandler<A, B> implements BiFunction<Peer, Message, Publisher<Message>> {

    private final Codec<A> requests;
    private final @Nullable InPlaceCodec<A> requestsInPlace;
    private final Codec<B> answers;
    private final @Nullable InPlaceCodec<B> answersInPlace;
    private final Function<? super A, ? extends Publisher<? extends B>> handler;

    ValueHandler(Codec<A> requests, Codec<B> answers, Function<? super A, ? extends Publisher<? extends B>> handler) {
        this.requests = Objects.requireNonNull(requests, "requests");
        this.requestsInPlace = requests instanceof InPlaceCodec<A> its ? its : null;
        this.answers = Objects.requireNonNull(answers, "answers");
        this.answersInPlace = answers instanceof InPlaceCodec<B> its ? its : null;
        this.handler = Objects.requireNonNull(handler, "handler");
    }

    @Override
    public Publisher<Message> apply(Peer peer, Message request) {
        return Decoding.<A, B>one(peer.session().longValues(), request, requests, handler)
                .map(this::message);
    }

    /** Whether it can read requests where they lie. */
    boolean isInPlace() {
        return requestsInPlace != null;
    }

    /** What the handler yields for the request that is the body of this frame. */
    Publisher<? extends B> handle(Frame request) {
        A value = Decoding.made(request.read(Objects.requireNonNull(requestsInPlace)));
        return Objects.requireNonNull(handler.apply(value), "the handler has returned null");
    }

    /** The answer as a message. It comes from the handler, as all answers here do. */
    @SuppressWarnings("unchecked")
    Message message(Object answer) {
        return Message.of(answers.encode((B) answer, ByteBufAllocator.DEFAULT));
    }

    /** Sends the answer if it can go now without a message; nothing has happened otherwise. */
    @SuppressWarnings("unchecked")
    boolean sendsAtOnce(Object answer, Outbound outbound, int flags, int number) {
        InPlaceCodec<B> codec = answersInPlace;
        return codec != null && outbound.sendsAtOnce((B) answer, codec.length((B) answer), codec, flags, number);
    }

    /** The first of these answers as a message. */
    Mono<Message> messages(Publisher<?> answer) {
        return Mono.from(answer).map(this::message);
    }
}
