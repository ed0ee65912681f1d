package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import org.jspecify.annotations.Nullable;

/**
 * What the links of a loop gather small frames in: one buffer for all of them, since it is empty again when a turn has
 * ended and the kernel has taken everything. Each piece of it belongs to one link. Loop thread only.
 */
final class WriteBuffer {

    /** What is gathered before it is written in the middle of a turn; one longest frame. */
    static final int SIZE = 64 << 10;

    private static final FastThreadLocal<WriteBuffer> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected WriteBuffer initialValue() {
            return new WriteBuffer();
        }

        @Override
        protected void onRemoval(WriteBuffer ended) {
            ended.release();
        }
    };

    private @Nullable ByteBuf shared;
    /** Whose piece is the last one, from {@link #begin} on; its channel does not have it yet. */
    private @Nullable Outbox writer;

    private int begin;

    private WriteBuffer() {}

    /** The write buffer of the loop whose thread the caller runs on. */
    static WriteBuffer ofLoop() {
        return OF_LOOP.get();
    }

    /** Room for this much behind what the same link has written last. */
    ByteBuf room(Outbox asking, int needed, ByteBufAllocator allocator) {
        if (writer != asking) {
            handOver();
            writer = asking;
        }
        if (shared != null && shared.writableBytes() < needed) {
            asking.flush();
        }
        ByteBuf into = shared;
        if (into == null || into.writableBytes() < needed) {
            release();
            into = allocator.directBuffer(Math.max(needed, SIZE), Math.max(needed, SIZE));
            shared = into;
            writer = asking;
        }
        return into;
    }

    /** Gives this link's channel what it does not have yet. */
    void handOver(Outbox from) {
        if (writer == from) {
            handOver();
        }
    }

    private void handOver() {
        ByteBuf bytes = shared;
        Outbox from = writer;
        if (bytes != null && from != null && bytes.writerIndex() > begin) {
            from.write(bytes.retainedSlice(begin, bytes.writerIndex() - begin));
            begin = bytes.writerIndex();
        }
    }

    /** After a flush: begins anew if the kernel has everything. */
    void reuse() {
        ByteBuf bytes = shared;
        if (bytes != null && bytes.refCnt() == 1 && bytes.writerIndex() == begin) {
            bytes.clear();
            begin = 0;
        }
    }

    /** This link has ended: what its channel does not have is dropped. */
    void forget(Outbox ended) {
        if (writer == ended) {
            writer = null;
            if (shared != null) {
                shared.writerIndex(begin);
            }
        }
    }

    private void release() {
        ByteBuf bytes = shared;
        shared = null;
        writer = null;
        begin = 0;
        if (bytes != null) {
            bytes.release();
        }
    }
}
