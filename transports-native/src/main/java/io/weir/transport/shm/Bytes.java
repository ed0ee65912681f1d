package io.weir.transport.shm;

import static io.weir.transport.shm.SegmentLayout.LONGS;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies between buffers and a segment. Few bytes go word by word, which the compiler turns into plain moves; for more, the
 * fixed cost of a bulk copy is worth paying.
 *
 * <p>Words are written out, here and where frames are copied, instead of being counted in a loop: what a loop costs before and
 * behind its body is more than these few moves.
 */
final class Bytes {

    static final VarHandle ARRAY_LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Measured on x86-64 with Java 17: up to here moving words beats the call of a bulk copy. */
    static final int WORDWISE = 96;

    private Bytes() {}

    /** From an array into a segment. */
    @SuppressWarnings("fallthrough")
    static void copy(byte[] from, int fromIndex, ByteBuffer to, int toIndex, int length) {
        if (length > WORDWISE) {
            to.put(toIndex, from, fromIndex, length);
            return;
        }
        switch (length >> 3) {
            case 12:
                LONGS.set(to, toIndex + 88, (long) ARRAY_LONGS.get(from, fromIndex + 88));
            case 11:
                LONGS.set(to, toIndex + 80, (long) ARRAY_LONGS.get(from, fromIndex + 80));
            case 10:
                LONGS.set(to, toIndex + 72, (long) ARRAY_LONGS.get(from, fromIndex + 72));
            case 9:
                LONGS.set(to, toIndex + 64, (long) ARRAY_LONGS.get(from, fromIndex + 64));
            case 8:
                LONGS.set(to, toIndex + 56, (long) ARRAY_LONGS.get(from, fromIndex + 56));
            case 7:
                LONGS.set(to, toIndex + 48, (long) ARRAY_LONGS.get(from, fromIndex + 48));
            case 6:
                LONGS.set(to, toIndex + 40, (long) ARRAY_LONGS.get(from, fromIndex + 40));
            case 5:
                LONGS.set(to, toIndex + 32, (long) ARRAY_LONGS.get(from, fromIndex + 32));
            case 4:
                LONGS.set(to, toIndex + 24, (long) ARRAY_LONGS.get(from, fromIndex + 24));
            case 3:
                LONGS.set(to, toIndex + 16, (long) ARRAY_LONGS.get(from, fromIndex + 16));
            case 2:
                LONGS.set(to, toIndex + 8, (long) ARRAY_LONGS.get(from, fromIndex + 8));
            case 1:
                LONGS.set(to, toIndex, (long) ARRAY_LONGS.get(from, fromIndex));
            default:
        }
        for (int at = length & ~7; at < length; at++) {
            to.put(toIndex + at, from[fromIndex + at]);
        }
    }

    /** From a segment into an array. */
    @SuppressWarnings("fallthrough")
    static void copy(ByteBuffer from, int fromIndex, byte[] to, int toIndex, int length) {
        if (length > WORDWISE) {
            from.get(fromIndex, to, toIndex, length);
            return;
        }
        switch (length >> 3) {
            case 12:
                ARRAY_LONGS.set(to, toIndex + 88, (long) LONGS.get(from, fromIndex + 88));
            case 11:
                ARRAY_LONGS.set(to, toIndex + 80, (long) LONGS.get(from, fromIndex + 80));
            case 10:
                ARRAY_LONGS.set(to, toIndex + 72, (long) LONGS.get(from, fromIndex + 72));
            case 9:
                ARRAY_LONGS.set(to, toIndex + 64, (long) LONGS.get(from, fromIndex + 64));
            case 8:
                ARRAY_LONGS.set(to, toIndex + 56, (long) LONGS.get(from, fromIndex + 56));
            case 7:
                ARRAY_LONGS.set(to, toIndex + 48, (long) LONGS.get(from, fromIndex + 48));
            case 6:
                ARRAY_LONGS.set(to, toIndex + 40, (long) LONGS.get(from, fromIndex + 40));
            case 5:
                ARRAY_LONGS.set(to, toIndex + 32, (long) LONGS.get(from, fromIndex + 32));
            case 4:
                ARRAY_LONGS.set(to, toIndex + 24, (long) LONGS.get(from, fromIndex + 24));
            case 3:
                ARRAY_LONGS.set(to, toIndex + 16, (long) LONGS.get(from, fromIndex + 16));
            case 2:
                ARRAY_LONGS.set(to, toIndex + 8, (long) LONGS.get(from, fromIndex + 8));
            case 1:
                ARRAY_LONGS.set(to, toIndex, (long) LONGS.get(from, fromIndex));
            default:
        }
        for (int at = length & ~7; at < length; at++) {
            to[toIndex + at] = from.get(fromIndex + at);
        }
    }

    /** The readable bytes of any buffer into a segment; changes no index, so that other threads may read it as well. */
    static void copy(ByteBuf from, ByteBuffer to, int toIndex, int length) {
        int fromIndex = from.readerIndex();
        if (from.hasArray()) {
            copy(from.array(), from.arrayOffset() + fromIndex, to, toIndex, length);
        } else if (length <= WORDWISE) {
            copyWords(from, fromIndex, to, toIndex, length);
        } else {
            from.getBytes(fromIndex, to.slice(toIndex, length));
        }
    }

    private static void copyWords(ByteBuf from, int fromIndex, ByteBuffer to, int toIndex, int length) {
        int at = 0;
        for (; at <= length - 8; at += 8) {
            LONGS.set(to, toIndex + at, from.getLongLE(fromIndex + at));
        }
        for (; at < length; at++) {
            to.put(toIndex + at, from.getByte(fromIndex + at));
        }
    }

    /** From a segment into a buffer of our own, at its beginning. */
    static void copy(ByteBuffer from, int fromIndex, ByteBuf to, int length) {
        if (to.hasArray()) {
            copy(from, fromIndex, to.array(), to.arrayOffset(), length);
        } else {
            to.setBytes(0, from.slice(fromIndex, length));
        }
    }
}
