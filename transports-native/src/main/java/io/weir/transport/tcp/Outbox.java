package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCountUtil;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.transport.stream.FrameBytes;
import io.weir.transport.stream.FrameParser;
import org.jspecify.annotations.Nullable;

/**
 * Frames on their way into a channel. Small ones are gathered in the loop's buffer, so that a message costs neither a
 * buffer nor a write of its own; longer bodies stand between pieces of that buffer as they are. Loop thread only.
 */
final class Outbox {

    /** Copying this much costs less than a buffer of its own in the kernel's gathering. */
    static final int COPIED = 8 << 10;

    private final ChannelHandlerContext channel;
    private final WriteBuffer gathered = WriteBuffer.ofLoop();
    /** What the other side has not acknowledged, if it is to be kept. */
    private @Nullable Kept kept;
    /** The channel takes nothing more. */
    private boolean ended;

    Outbox(ChannelHandlerContext channel) {
        this.channel = channel;
    }

    /** Takes the frame, whose length was checked. An exception leaves nothing written and the body with the caller. */
    void add(Frame frame) {
        FileRegion region = frame.region();
        int bodyLength = frame.bodyLength();
        boolean copied = region == null && (frame.isLent() || bodyLength <= COPIED);
        int headLength = FrameBytes.headSize(frame);
        ByteBuf into = gathered.room(this, headLength + (copied ? bodyLength : 0) + Long.BYTES, channel.alloc());
        Kept keeping = kept;
        if (copied) {
            addCopied(frame, into);
            if (keeping != null) {
                keeping.begin();
            }
        } else {
            // Computed first: the channel may give up the body at once for a copy of its own.
            int padding = FrameBytes.padding(frame);
            FrameBytes.writeHead(frame, into);
            if (keeping != null) {
                keeping.begin();
            }
            gathered.handOver(this);
            write(region == null ? unshared(frame.body()) : region);
            into.writeZero(padding);
            if (keeping != null) {
                keeping.rest(padding);
            }
        }
    }

    /** From here on keeps what is added, about so many bytes at most, and asks the other side to acknowledge it. */
    void keep(long bytes) {
        if (kept != null) {
            throw new IllegalStateException("this link keeps already what it sends");
        }
        addAck(0);
        kept = new Kept(channel.alloc(), bytes);
    }

    /** Adds an ACK of so many frames. It is neither counted nor kept, and so must not stand among what is. */
    void addAck(long frames) {
        gathered.handOver(this);
        Frame ack = new Frame().set(FrameKind.ACK, 0, 0, 0).words(frames, 0);
        int length = FrameLayout.HEADER + Long.BYTES;
        ByteBuf bytes = channel.alloc().directBuffer(length, length);
        FrameBytes.writeHead(ack, bytes);
        give(bytes);
    }

    /** Whether so much is kept that nothing more is to be added. */
    boolean isFull() {
        Kept keeping = kept;
        return keeping != null && keeping.isFull();
    }

    /** The other side has had so many frames. Returns false if that can't be. */
    boolean acknowledge(long frames) {
        Kept keeping = kept;
        return keeping != null && keeping.acknowledge(frames);
    }

    /** Gives what is kept to this parser, and keeps nothing any longer. Returns false if it was not kept. */
    boolean handBack(FrameParser parser) {
        gathered.handOver(this);
        Kept keeping = kept;
        kept = null;
        return keeping != null && keeping.giveBack(parser);
    }

    /** Keeps nothing any longer. */
    void forgetKept() {
        Kept keeping = kept;
        kept = null;
        if (keeping != null) {
            keeping.release();
        }
    }

    private static void addCopied(Frame frame, ByteBuf into) {
        int before = into.writerIndex();
        try {
            FrameBytes.writeHead(frame, into);
            FrameBytes.copyBody(frame, into);
            into.writeZero(FrameBytes.padding(frame));
        } catch (RuntimeException e) {
            into.writerIndex(before);
            throw e;
        }
        frame.releaseBody();
    }

    /** Writing in pieces moves the reader index, which is no business of those who hold the body as well. */
    private static ByteBuf unshared(ByteBuf body) {
        return body.refCnt() > 1 ? body.slice() : body;
    }

    /** Gives what was gathered to the channel, and all that it has to the kernel. */
    void flush() {
        gathered.handOver(this);
        channel.flush();
        gathered.reuse();
    }

    /** As {@link #flush}; reports when the kernel has everything. */
    ChannelFuture flushed() {
        flush();
        return channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
    }

    /** The channel takes nothing more: what was gathered is kept, or dropped. */
    void end() {
        ended = true;
        if (kept != null) {
            gathered.handOver(this);
        }
        gathered.forget(this);
    }

    /** Gives this to the channel, which owns it now and writes it at the next flush. */
    void write(Object message) {
        Kept keeping = kept;
        if (keeping != null) {
            keeping.add(message);
        }
        give(message);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // A failure is told to the pipeline.
    private void give(Object message) {
        if (ended) {
            ReferenceCountUtil.release(message);
        } else {
            channel.write(message, channel.voidPromise());
        }
    }
}
