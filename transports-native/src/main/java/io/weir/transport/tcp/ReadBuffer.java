package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import org.jspecify.annotations.Nullable;

/**
 * What a loop's sockets are read into: one buffer for all of them, since each is done with it when its read ends, unless a
 * body within it was passed on. So reading allocates nothing, and the buffer stays in the processor's cache.
 */
final class ReadBuffer extends DefaultMaxMessagesRecvByteBufAllocator {

    /** One longest frame with its header, and as much again, so that most such frames lie whole in one read. */
    static final int SIZE = 128 << 10;

    /** Reads of one socket in a row, so that a fast peer keeps the loop half a millisecond at most. */
    private static final int MOST_READS = 4;

    private static final FastThreadLocal<ReadBuffer> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected ReadBuffer initialValue() {
            return new ReadBuffer();
        }

        @Override
        protected void onRemoval(ReadBuffer ended) {
            ended.release();
        }
    };

    private @Nullable ByteBuf shared;

    private ReadBuffer() {
        super(MOST_READS);
    }

    /** The read buffer of the loop whose thread the caller runs on. */
    static ReadBuffer ofLoop() {
        return OF_LOOP.get();
    }

    private ByteBuf take(ByteBufAllocator allocator) {
        ByteBuf buffer = shared;
        if (buffer == null || buffer.refCnt() > 1) {
            release();
            buffer = allocator.directBuffer(SIZE, SIZE);
            shared = buffer;
        }
        return buffer.clear().retain();
    }

    private void release() {
        ByteBuf buffer = shared;
        shared = null;
        if (buffer != null) {
            buffer.release();
        }
    }

    @Override
    @SuppressWarnings("deprecation") // Netty deprecates its own return type without offering another one.
    public RecvByteBufAllocator.Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                return take(allocator);
            }

            @Override
            public int guess() {
                return SIZE;
            }
        };
    }
}
