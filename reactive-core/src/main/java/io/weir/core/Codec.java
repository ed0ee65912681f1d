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
     * The payload of this value, in memory of this allocator where that saves a copy. The caller owns the buffer. An
     * exception leaves nothing allocated.
     */
    ByteBuf encode(T value, ByteBufAllocator allocator);

    /**
     * The value of this payload. Neither consumes, releases nor keeps the buffer.
     *
     * @throws ProtocolMismatch if the payload is not such a value, saying why; hostile input does nothing worse
     */
    T decode(ByteBuf payload);

    /**
     * As {@link #decode(ByteBuf)}, with an account of the memory that the value takes. Codecs whose values may take
     * much more than their payload count what they make; for others the length of the payload counts.
     *
     * @throws Overloaded if there is no memory for the value
     */
    default T decode(ByteBuf payload, ValueMemory memory) {
        memory.use(payload.readableBytes());
        return decode(payload);
    }
}
