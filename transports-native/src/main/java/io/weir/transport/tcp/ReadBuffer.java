package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;
import io.weir.transport.loop.NettyLoop;
import org.jspecify.annotations.Nullable;

/**
 * What a loop's sockets are read into: one buffer for all of them, since each is done with it when its read ends,
 * unless a body within it was passed on. So reading allocates nothing, and the buffer stays in the processor's cache.
 */
final class ReadBuffer extends DefaultMaxMessagesRecvByteBufAllocator {

    /** One longest frame with its header, and as much again, so that most such frames lie whole in one read. */
    static final int SIZE = 128 << 10;

    /** Reads of one socket in a row, so that a fast peer keeps the loop half a millisecond at most. */
    private static final int MOST_READS = 4;

    /** The same where a read begins with 2 KiB, and is longer the next time if that was not enough. */
    private static final int MOST_READS_APART = 16;

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

    private final AdaptiveRecvByteBufAllocator apart = new AdaptiveRecvByteBufAllocator() {
        @Override
        @SuppressWarnings("deprecation") // As below.
        public RecvByteBufAllocator.Handle newHandle() {
            return new Apart(super.newHandle());
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
        var unused = apart.maxMessagesPerRead(MOST_READS_APART);
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

    /**
     * For sockets whose bytes are kept until the rest of a record has come: each read has a buffer of its own, and
     * counts as all do.
     */
    RecvByteBufAllocator apart() {
        return apart;
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

    /** What one socket may bring in this turn. */
    private final class Portion {

        private int left = SIZE;

        void begin() {
            left = limit();
        }

        void brought(int count) {
            if (count > 0) {
                left -= count;
                bytes += count;
            }
        }

        boolean isLeft() {
            return left > 0;
        }

        /**
         * How long the next read may be: never nothing. When the other side has ended, Netty reads on whatever was
         * said, and takes a read without room for the end.
         */
        int room() {
            return Math.min(SIZE, Math.max(LEAST, left));
        }
    }

    /** Reads of one socket. */
    private final class Handle extends MaxMessageHandle {

        private final Portion portion = new Portion();

        @Override
        public void reset(ChannelConfig config) {
            super.reset(config);
            portion.begin();
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

        @Override
        public int guess() {
            return portion.room();
        }

        @Override
        public void lastBytesRead(int count) {
            super.lastBytesRead(count);
            portion.brought(count);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return portion.isLeft() && super.continueReading(maybeMore);
        }
    }

    /** Reads of one socket into buffers of their own. */
    @SuppressWarnings("deprecation") // As above.
    private final class Apart extends RecvByteBufAllocator.DelegatingHandle
            implements RecvByteBufAllocator.ExtendedHandle {

        private final Portion portion = new Portion();

        Apart(RecvByteBufAllocator.Handle adaptive) {
            super(adaptive);
        }

        @Override
        public void reset(ChannelConfig config) {
            super.reset(config);
            portion.begin();
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return allocator.directBuffer(guess());
        }

        @Override
        public int guess() {
            return Math.min(super.guess(), portion.room());
        }

        @Override
        public void lastBytesRead(int count) {
            super.lastBytesRead(count);
            portion.brought(count);
        }

        @Override
        public boolean continueReading() {
            return portion.isLeft() && super.continueReading();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return portion.isLeft() && ((RecvByteBufAllocator.ExtendedHandle) delegate()).continueReading(maybeMore);
        }
    }
}
