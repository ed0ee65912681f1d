package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;
import io.weir.transport.loop.NettyLoop;
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

    /** What all sockets together may bring in one turn. A hundred thousand of the shortest frames take a while. */
    static final int TURN = 2 << 20;

    /** What each of them may bring, however many there are. */
    static final int LEAST = 2 << 10;

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

    private final NettyLoop loop = NettyLoop.current();
    private final Runnable endOfTurn = this::endOfTurn;
    private @Nullable ByteBuf shared;

    /** Sockets that are read in this turn, and what they have brought. */
    private int sockets;

    private int bytes;
    /** Those of the turn before: what there is, they share. */
    private int socketsBefore;

    private ReadBuffer() {
        super(MOST_READS);
    }

    /** How much the next socket may bring. */
    private int limit() {
        if (sockets++ == 0) {
            loop.atTurnEnd(endOfTurn);
        }
        return Math.max(LEAST, Math.min(TURN / Math.max(1, socketsBefore), TURN - bytes));
    }

    private void endOfTurn() {
        socketsBefore = sockets;
        sockets = 0;
        bytes = 0;
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
        return new Handle();
    }

    /** Reads of one socket. */
    private final class Handle extends MaxMessageHandle {

        private int left = SIZE;

        @Override
        public void reset(ChannelConfig config) {
            super.reset(config);
            left = limit();
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf buffer = take(allocator);
            int room = guess();
            return room < SIZE ? beginning(buffer, room) : buffer;
        }

        /** A part of it, which is released in its place. */
        private static ByteBuf beginning(ByteBuf buffer, int length) {
            ByteBuf part = buffer.retainedSlice(0, length).clear();
            buffer.release();
            return part;
        }

        /** Never nothing: when the other side has ended, Netty reads on whatever was said, and takes a read without room for the end. */
        @Override
        public int guess() {
            return Math.min(SIZE, Math.max(LEAST, left));
        }

        @Override
        public void lastBytesRead(int count) {
            super.lastBytesRead(count);
            if (count > 0) {
                left -= count;
                bytes += count;
            }
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return left > 0 && super.continueReading(maybeMore);
        }
    }
}
