package io.weir.path;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.flow.Fragmenter;
import java.util.Collection;
import java.util.Queue;

/** A frame that waits, with its body; a {@link Frame} is only lent. */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
public record KeptFrame(
        FrameKind kind, int flags, int channel, int aux, long first, long second, byte[] control, ByteBuf body) {

    /** Takes over the body. */
    public static KeptFrame of(Frame frame) {
        return new KeptFrame(
                frame.kind(),
                frame.flags(),
                frame.channel(),
                frame.aux(),
                frame.first(),
                frame.second(),
                frame.control(),
                frame.body());
    }

    /** One that belongs to no channel. Takes over the body. */
    public static KeptFrame of(FrameKind kind, int aux, long first, ByteBuf body) {
        return of(kind, 0, aux, first, body);
    }

    public static KeptFrame of(FrameKind kind, int flags, int aux, long first, ByteBuf body) {
        return new KeptFrame(kind, flags, 0, aux, first, 0, new byte[0], body);
    }

    public static KeptFrame of(FrameKind kind, int aux, long first) {
        return of(kind, aux, first, Unpooled.EMPTY_BUFFER);
    }

    /** Whether it counts as one of its session's; the others are about the links themselves. */
    static boolean counts(FrameKind kind) {
        return kind.code() >= FrameKind.GOODBYE.code();
    }

    /** Fills the holder with this; the body belongs to who takes the holder's. */
    public Frame into(Frame holder) {
        return holder.set(kind, flags, channel, aux, body).words(first, second).control(control);
    }

    public void release() {
        body.release();
    }

    /** Releases all of these and takes them out. */
    public static void releaseAll(Queue<KeptFrame> frames) {
        for (KeptFrame each; (each = frames.poll()) != null; ) {
            each.release();
        }
    }

    /**
     * Adds this, in pieces if the link would not take it whole. A message in pieces is the same message to the other
     * side.
     */
    void cutFor(Link link, Collection<KeptFrame> to) {
        int length = body.readableBytes();
        if (length + control.length <= link.maxFrame() || link.takesInPlace(body)) {
            to.add(this);
            return;
        }
        Fragmenter pieces = new Fragmenter(length, link.maxFrame() - control.length);
        long total = kind == FrameKind.DATA ? length : first;
        boolean begins = kind != FrameKind.NEXT;
        for (; pieces.hasNext(); pieces.next()) {
            ByteBuf piece = body.retainedSlice(body.readerIndex() + (int) pieces.offset(), pieces.length());
            to.add(
                    begins
                            ? new KeptFrame(FrameKind.FIRST, flags, channel, aux, total, 0, control, piece)
                            : new KeptFrame(FrameKind.NEXT, 0, channel, 0, 0, 0, new byte[0], piece));
            begins = false;
        }
        release();
    }
}
