package io.weir.channel;

import io.netty.buffer.ByteBufAllocator;
import io.weir.core.InPlaceCodec;
import io.weir.core.Message;

/** A value that is to be sent, of which no message has been made yet. */
record UnsentValue<T>(T value, InPlaceCodec<T> codec) {

    /** As {@link Outbound#sendsAtOnce(Object, int, InPlaceCodec, int, int)}. */
    boolean sendsAtOnce(Outbound outbound, int flags, int number) {
        return outbound.sendsAtOnce(value, codec.length(value), codec, flags, number);
    }

    Message message(ByteBufAllocator memory) {
        return Message.of(codec.encode(value, memory));
    }
}
