package io.weir.tck;

import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Bytes of a frame as they stand on a byte stream, also of frames that no link would send. */
final class RawFrame {

    private RawFrame() {}

    /** A frame in good order. */
    static byte[] of(FrameKind kind, int channel, int aux, byte[] control, byte[] body) {
        int length = control.length + body.length;
        ByteBuffer bytes = ByteBuffer.allocate((int) FrameLayout.size(kind.words(), length));
        return bytes.order(ByteOrder.LITTLE_ENDIAN)
                .putLong(FrameLayout.word0(kind.code(), 0, control.length, length))
                .putLong(FrameLayout.word1(channel, aux))
                .position(FrameLayout.HEADER + 8 * kind.words())
                .put(control)
                .put(body)
                .array();
    }

    /** A header that says this, and some bytes behind it. */
    static byte[] header(int kindCode, int controlLength, int length, int more) {
        return ByteBuffer.allocate(FrameLayout.HEADER + more)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(FrameLayout.word0(kindCode, 0, controlLength, length))
                .array();
    }
}
