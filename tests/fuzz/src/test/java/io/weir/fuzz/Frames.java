package io.weir.fuzz;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.transport.stream.FrameBytes;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Frames, as records of bytes and as lines that are equal if the frames are. */
public final class Frames {

    private Frames() {}

    /** One without flags, words and body. */
    public static Frame frame(FrameKind kind, int channel) {
        return new Frame().set(kind, 0, channel, 0);
    }

    /** A body of so many bytes, of which neighbours differ. */
    public static ByteBuf text(int length) {
        ByteBuf text = Unpooled.buffer();
        for (int i = 0; i < length; i++) {
            text.writeByte('a' + i % 26);
        }
        return text;
    }

    /** So many bytes, of which those that are near each other differ; bodies may be parts of it. */
    public static byte[] content(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i ^ i >>> 8);
        }
        return bytes;
    }

    /** The frame as it stands on a wire, with its padding. */
    public static byte[] record(Frame frame) {
        ByteBuf all = Unpooled.buffer();
        FrameBytes.writeHead(frame, all);
        FrameBytes.copyBody(frame, all);
        return ByteBufUtil.getBytes(all.writeZero(FrameBytes.padding(frame)));
    }

    /** A frame of any kind, also one that is not known, with a body of zeros. */
    public static byte[] optional(int code, int length) {
        ByteBuf all = Unpooled.buffer().writeLongLE(FrameLayout.word0(code, 0, 0, length));
        return ByteBufUtil.getBytes(all.writeZero(8 + FrameLayout.align(length)));
    }

    /** All of these, one behind the other. */
    public static ByteBuf append(ByteBuf to, byte[]... records) {
        for (byte[] record : records) {
            to.writeBytes(record);
        }
        return to;
    }

    /** The frame with its own body, be it lent or not. */
    public static String describe(Frame frame) {
        return describe(
                frame,
                frame.isLent() ? Unpooled.wrappedBuffer(frame.content().bytes(), 0, frame.bodyLength()) : frame.body());
    }

    /** The frame as if it had this body. */
    public static String describe(Frame frame, ByteBuf body) {
        int words = frame.kind().words();
        CRC32C sum = new CRC32C();
        sum.update(body.nioBuffer());
        return frame.kind() + " " + frame.flags() + ' ' + frame.channel() + ' ' + frame.aux() + ' '
                + (words > 0 ? frame.first() : "-") + ' ' + (words > 1 ? frame.second() : "-") + ' '
                + Arrays.hashCode(frame.control()) + ' ' + body.readableBytes() + ' ' + sum.getValue();
    }
}
