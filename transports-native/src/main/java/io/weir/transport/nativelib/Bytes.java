package io.weir.transport.nativelib;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies between buffers and mapped memory. Few bytes go word by word, which the compiler turns into plain moves; for
 * more, the fixed cost of a bulk copy is worth paying.
 */
public final class Bytes {

    /** Numbers of 64 bits in a buffer, at any index. */
    public static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** The same in an array. */
    public static final VarHandle ARRAY_LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Measured on x86-64 with Java 17: up to here moving words beats the call of a bulk copy. */
    public static final int WORDWISE = 96;

    private Bytes() {}

    /** From an array into mapped memory. */
    public static void copy(byte[] from, int fromIndex, ByteBuffer to, int toIndex, int length) {
        if (length > WORDWISE) {
            to.put(toIndex, from, fromIndex, length);
            return;
        }
        int at = 0;
        for (; at <= length - 8; at += 8) {
            LONGS.set(to, toIndex + at, (long) ARRAY_LONGS.get(from, fromIndex + at));
        }
        for (; at < length; at++) {
            to.put(toIndex + at, from[fromIndex + at]);
        }
    }

    /** From mapped memory into an array. */
    public static void copy(ByteBuffer from, int fromIndex, byte[] to, int toIndex, int length) {
        if (length > WORDWISE) {
            from.get(fromIndex, to, toIndex, length);
            return;
        }
        int at = 0;
        for (; at <= length - 8; at += 8) {
            ARRAY_LONGS.set(to, toIndex + at, (long) LONGS.get(from, fromIndex + at));
        }
        for (; at < length; at++) {
            to[toIndex + at] = from.get(fromIndex + at);
        }
    }

    /**
     * The readable bytes of any buffer into mapped memory; changes no index, so that other threads may read it as well.
     */
    public static void copy(ByteBuf from, ByteBuffer to, int toIndex, int length) {
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

    /** From mapped memory into a buffer of our own, at its beginning. */
    public static void copy(ByteBuffer from, int fromIndex, ByteBuf to, int length) {
        if (to.hasArray()) {
            copy(from, fromIndex, to.array(), to.arrayOffset(), length);
        } else {
            to.setBytes(0, from.slice(fromIndex, length));
        }
    }
}
