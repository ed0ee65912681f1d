package io.weir.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Content that begins an array: short values, which are written and read without a buffer. */
final class ArrayView extends ContentView {

    private static final VarHandle SHORTS = values(short[].class);
    private static final VarHandle INTS = values(int[].class);
    private static final VarHandle LONGS = values(long[].class);

    private final byte[] bytes;

    ArrayView(byte[] bytes) {
        this.bytes = bytes;
    }

    private static VarHandle values(Class<?> arrayOfThem) {
        return MethodHandles.byteArrayViewVarHandle(arrayOfThem, ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    int capacity() {
        return bytes.length;
    }

    @Override
    public byte getByte(int index) {
        return bytes[at(index, 1)];
    }

    @Override
    public short getShort(int index) {
        return (short) SHORTS.get(bytes, at(index, Short.BYTES));
    }

    @Override
    public int getInt(int index) {
        return (int) INTS.get(bytes, at(index, Integer.BYTES));
    }

    @Override
    public long getLong(int index) {
        return (long) LONGS.get(bytes, at(index, Long.BYTES));
    }

    @Override
    public byte[] getBytes(int index, int count) {
        int from = at(index, count);
        return Arrays.copyOfRange(bytes, from, from + count);
    }

    @Override
    public String getText(int index, int count) {
        return Utf8.text(bytes, at(index, count), count);
    }

    @Override
    public void putByte(int index, byte value) {
        bytes[writableAt(index, 1)] = value;
    }

    @Override
    public void putShort(int index, short value) {
        SHORTS.set(bytes, writableAt(index, Short.BYTES), value);
    }

    @Override
    public void putInt(int index, int value) {
        INTS.set(bytes, writableAt(index, Integer.BYTES), value);
    }

    @Override
    public void putLong(int index, long value) {
        LONGS.set(bytes, writableAt(index, Long.BYTES), value);
    }

    @Override
    public void putBytes(int index, byte[] from) {
        System.arraycopy(from, 0, bytes, writableAt(index, from.length), from.length);
    }
}
