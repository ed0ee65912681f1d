package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Codec;
import io.weir.core.ValueMemory;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/**
 * Only reads, so that channels read the long values of calls as they do others: one at a time for each peer, and not on
 * a loop.
 */
abstract class ReadingCodec implements Codec<Object> {

    /** @param memory null: none is held for it yet */
    abstract Object read(ByteBuf payload, @Nullable ValueMemory memory) throws Throwable;

    private Object tryToRead(ByteBuf payload, @Nullable ValueMemory memory) {
        try {
            return read(payload, memory);
        } catch (Throwable t) {
            // What it threw is what the subscriber gets.
            throw Exceptions.propagate(t);
        }
    }

    @Override
    public final Object decode(ByteBuf payload) {
        return tryToRead(payload, null);
    }

    @Override
    public final Object decode(ByteBuf payload, ValueMemory memory) {
        return tryToRead(payload, memory);
    }

    @Override
    public final ByteBuf encode(Object value, ByteBufAllocator allocator) {
        throw new UnsupportedOperationException("it only reads");
    }
}
