package io.weir.integration.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.InPlaceCodec;
import java.util.concurrent.atomic.AtomicInteger;

/** A codec that counts the values that do not go in place. */
abstract class CountedBuffers<T> implements InPlaceCodec<T> {

    /** Values that had to be written into, or read from, a buffer. */
    final AtomicInteger buffers = new AtomicInteger();

    @Override
    public ByteBuf encode(T value, ByteBufAllocator allocator) {
        buffers.incrementAndGet();
        return InPlaceCodec.super.encode(value, allocator);
    }

    @Override
    public T decode(ByteBuf payload) {
        buffers.incrementAndGet();
        return InPlaceCodec.super.decode(payload);
    }
}
