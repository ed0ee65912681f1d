package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Turns values into payloads and back. Implementations are immutable and used by many threads.
 *
 * @param <T> the values
 */
public interface Codec<T> {

    /**
     * The payload of this value, in memory of this allocator where that saves a copy. The caller owns the buffer. An exception
     * leaves nothing allocated.
     */
    ByteBuf encode(T value, ByteBufAllocator allocator);

    /**
     * The value of this payload. Neither consumes, releases nor keeps the buffer.
     *
     * @throws ProtocolMismatch if the payload is not such a value, saying why; hostile input does nothing worse
     */
    T decode(ByteBuf payload);
}
