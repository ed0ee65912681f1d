package io.weir.channel;

import io.netty.buffer.ByteBufAllocator;
import io.weir.core.InPlaceCodec;
import io.weir.core.Message;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** A value that is to be sent, of which no message has been made yet. */
record UnsentValue<T>(T value, InPlaceCodec<T> codec) {

    /** A request with this value, for one subscriber, which has the loop. */
    Mono<Message> asked(Askers askers, String port) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Message> actual) {
                Ask ask = new Ask(askers, port, null, UnsentValue.this, true, null, actual);
                actual.onSubscribe(ask);
                ask.keep();
            }
        };
    }

    /** As {@link Outbound#sendsAtOnce(Object, int, InPlaceCodec, int, int)}. */
    boolean sendsAtOnce(Outbound outbound, int flags, int number) {
        return outbound.sendsAtOnce(value, codec.length(value), codec, flags, number);
    }

    Message message(ByteBufAllocator memory) {
        return Message.of(codec.encode(value, memory));
    }
}
