package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.FileRegion;
import io.weir.core.Frame;
import io.weir.core.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * Frames on their way into a channel. Small ones are gathered in one buffer, so that a message costs neither a buffer nor
 * a write of its own; longer bodies stand between pieces of that buffer as they are. Loop thread only.
 */
final class Outbox {

    /** What is gathered before it is written in the middle of a turn. */
    private static final int GATHERED = 64 << 10;

    /** Copying this much costs less than a buffer of its own in the kernel's gathering. */
    private static final int COPIED = 8 << 10;

    private final ChannelHandlerContext channel;
    private @Nullable ByteBuf gathered;
    /** Where the part of {@link #gathered} begins that the channel does not have yet. */
    private int begin;

    Outbox(ChannelHandlerContext channel) {
        this.channel = channel;
    }

    /** Takes the frame, whose length was checked. An exception leaves nothing written and the body with the caller. */
    void add(Frame frame) {
        FileRegion region = frame.region();
        int bodyLength = frame.bodyLength();
        boolean copied = region == null && bodyLength <= COPIED;
        int headLength = FrameLayout.HEADER + Long.BYTES * frame.kind().words() + frame.control().length;
        ByteBuf into = room(headLength + (copied ? bodyLength : 0) + Long.BYTES);
        if (copied) {
            addCopied(frame, into);
        } else {
            addHead(frame, into);
            hand(into);
            write(region == null ? unshared(frame.body()) : region);
            pad(frame, into);
        }
    }

    private static void addCopied(Frame frame, ByteBuf into) {
        int before = into.writerIndex();
        ByteBuf body = frame.body();
        try {
            addHead(frame, into);
            into.writeBytes(body, body.readerIndex(), body.readableBytes());
            pad(frame, into);
        } catch (RuntimeException e) {
            into.writerIndex(before);
            throw e;
        }
        body.release();
    }

    /** Writing in pieces moves the reader index, which is no business of those who hold the body as well. */
    private static ByteBuf unshared(ByteBuf body) {
        return body.refCnt() > 1 ? body.slice() : body;
    }

    private static void addHead(Frame frame, ByteBuf into) {
        into.writeLongLE(frame.word0());
        into.writeLongLE(frame.word1());
        int words = frame.kind().words();
        if (words > 0) {
            into.writeLongLE(frame.first());
        }
        if (words > 1) {
            into.writeLongLE(frame.second());
        }
        into.writeBytes(frame.control());
    }

    private static void pad(Frame frame, ByteBuf into) {
        int length = frame.length();
        into.writeZero(FrameLayout.align(length) - length);
    }

    /** Gives what was gathered to the channel, and all that it has to the kernel. */
    void flush() {
        ByteBuf full = gathered;
        if (full != null) {
            hand(full);
        }
        channel.flush();
        if (full != null && full.refCnt() == 1) {
            // The kernel has everything.
            full.clear();
            begin = 0;
        }
    }

    /** As {@link #flush}; tells when the kernel has everything. */
    ChannelFuture flushed() {
        flush();
        return channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
    }

    void release() {
        ByteBuf full = gathered;
        gathered = null;
        if (full != null) {
            full.release();
        }
    }

    private ByteBuf room(int needed) {
        ByteBuf into = gathered;
        if (into != null && into.writableBytes() < needed) {
            flush();
        }
        if (into == null || into.writableBytes() < needed) {
            release();
            into = channel.alloc().directBuffer(Math.max(needed, GATHERED), Math.max(needed, GATHERED));
            gathered = into;
            begin = 0;
        }
        return into;
    }

    private void hand(ByteBuf from) {
        if (from.writerIndex() > begin) {
            write(from.retainedSlice(begin, from.writerIndex() - begin));
            begin = from.writerIndex();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // A failure is told to the pipeline.
    private void write(Object message) {
        channel.write(message, channel.voidPromise());
    }
}
