package io.weir.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The content of one message while an {@link InPlaceCodec} writes or reads it. Numbers are little-endian and may lie
 * anywhere. Whoever reaches beyond its bounds gets an {@link IndexOutOfBoundsException}, and so does whoever keeps it
 * and uses it when no codec is called. The next call gets the same view: whoever keeps it could reach the content of
 * another message then. Belongs to the thread of the call.
 */
public final class ContentView {

    private static final VarHandle SHORTS = values(short[].class);
    private static final VarHandle INTS = values(int[].class);
    private static final VarHandle LONGS = values(long[].class);

    private static final int CLOSED = -1;

    private final byte[] bytes;
    private int length = CLOSED;

    ContentView(byte[] bytes) {
        this.bytes = bytes;
    }

    private static VarHandle values(Class<?> arrayOfThem) {
        return MethodHandles.byteArrayViewVarHandle(arrayOfThem, ByteOrder.LITTLE_ENDIAN);
    }

    boolean isOpen() {
        return length != CLOSED;
    }

    void open(int bytesInUse) {
        if (length != CLOSED) {
            throw new IllegalStateException("a codec has led to another one that works in the same memory");
        }
        if (bytesInUse < 0 || bytesInUse > bytes.length) {
            throw new IllegalArgumentException(
                    "a length of " + bytesInUse + " bytes, where 0 to " + bytes.length + " are possible");
        }
        length = bytesInUse;
    }

    void close() {
        length = CLOSED;
    }

    /** Bytes in all. */
    public int length() {
        return at(0, 0) + length;
    }

    public byte getByte(int index) {
        return bytes[at(index, 1)];
    }

    public short getShort(int index) {
        return (short) SHORTS.get(bytes, at(index, Short.BYTES));
    }

    public int getInt(int index) {
        return (int) INTS.get(bytes, at(index, Integer.BYTES));
    }

    public long getLong(int index) {
        return (long) LONGS.get(bytes, at(index, Long.BYTES));
    }

    public float getFloat(int index) {
        return Float.intBitsToFloat(getInt(index));
    }

    public double getDouble(int index) {
        return Double.longBitsToDouble(getLong(index));
    }

    /** So many bytes, copied. */
    public byte[] getBytes(int index, int count) {
        int from = at(index, count);
        return Arrays.copyOfRange(bytes, from, from + count);
    }

    /**
     * So many bytes, which are text in UTF-8.
     *
     * @throws ProtocolMismatch if they are not
     */
    public String getText(int index, int count) {
        String text = new String(bytes, at(index, count), count, StandardCharsets.UTF_8);
        if (Utf8.mayBeMalformed(text)) {
            Utf8.refuseMalformed(getBytes(index, count));
        }
        return text;
    }

    public void putByte(int index, byte value) {
        bytes[at(index, 1)] = value;
    }

    public void putShort(int index, short value) {
        SHORTS.set(bytes, at(index, Short.BYTES), value);
    }

    public void putInt(int index, int value) {
        INTS.set(bytes, at(index, Integer.BYTES), value);
    }

    public void putLong(int index, long value) {
        LONGS.set(bytes, at(index, Long.BYTES), value);
    }

    public void putFloat(int index, float value) {
        putInt(index, Float.floatToRawIntBits(value));
    }

    public void putDouble(int index, double value) {
        putLong(index, Double.doubleToRawLongBits(value));
    }

    /** All of these bytes. */
    public void putBytes(int index, byte[] from) {
        System.arraycopy(from, 0, bytes, at(index, from.length), from.length);
    }

    /** Where these bytes begin, if they are within. */
    private int at(int index, int count) {
        if ((index | count) < 0 || index > length - count) {
            throw outside(index, count);
        }
        return index;
    }

    private IndexOutOfBoundsException outside(int index, int count) {
        return new IndexOutOfBoundsException(
                length == CLOSED
                        ? "the content of a message was used after the call of the codec for which it was lent"
                        : count + " bytes from byte " + index + " of content of " + length + " bytes");
    }
}
