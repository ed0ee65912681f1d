package io.weir.transport.stream;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameLayout;

/** Writes frames into a stream of bytes, as {@link FrameLayout} draws them. */
public final class FrameBytes {

    /** Up to here a body outside of the heap is copied word by word. */
    private static final int WORDWISE = 96;

    private FrameBytes() {}

    /** What comes before the body: header, words and control data, in bytes. */
    public static int headSize(Frame frame) {
        return FrameLayout.HEADER + Long.BYTES * frame.kind().words() + frame.control().length;
    }

    /** How many zero bytes follow the body, at most seven. */
    public static int padding(Frame frame) {
        int length = frame.length();
        return FrameLayout.align(length) - length;
    }

    /** Writes what comes before the body. */
    public static void writeHead(Frame frame, ByteBuf into) {
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

    /** Copies the frame's body, and changes none of its indices. */
    public static void copyBody(Frame frame, ByteBuf into) {
        if (frame.isLent()) {
            into.writeBytes(frame.content().bytes(), 0, frame.bodyLength());
        } else {
            copy(frame.body(), into);
        }
    }

    /**
     * Copies a body, and changes none of its indices. Netty copies what lies outside of the heap through a view, which
     * few bytes are not worth.
     */
    private static void copy(ByteBuf body, ByteBuf into) {
        int length = body.readableBytes();
        int from = body.readerIndex();
        if (length > WORDWISE || body.hasArray()) {
            into.writeBytes(body, from, length);
            return;
        }
        int at = 0;
        for (; at <= length - Long.BYTES; at += Long.BYTES) {
            into.writeLongLE(body.getLongLE(from + at));
        }
        for (; at < length; at++) {
            into.writeByte(body.getByte(from + at));
        }
    }
}
