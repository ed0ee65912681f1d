package io.weir.core;

/**
 * The content of one message while an {@link InPlaceCodec} writes or reads it. Numbers are little-endian and may lie
 * anywhere. Whoever reaches beyond its bounds gets an {@link IndexOutOfBoundsException}, and so does whoever keeps it
 * and uses it when no codec is called. The next call may get the same view: whoever keeps it could reach the content of
 * another message then. Where a value is read, its content can't be changed: an {@link UnsupportedOperationException}
 * says so. Belongs to the thread of the call.
 */
public abstract sealed class ContentView permits ArrayView, BufferView {

    private static final int CLOSED = -1;

    private int length = CLOSED;
    /** As the length, where a value is written. */
    private int writable = CLOSED;
    /** Where the next text of a record begins. */
    private int texts;

    ContentView() {}

    final boolean isOpen() {
        return length != CLOSED;
    }

    /** Bytes that are there, whether or not they are in use. */
    abstract int capacity();

    /** @param writing whether a value is written, and not read */
    final void open(int bytesInUse, boolean writing) {
        if (length != CLOSED) {
            throw new IllegalStateException("a codec has led to another one that works in the same memory");
        }
        if (bytesInUse < 0 || bytesInUse > capacity()) {
            throw new IllegalArgumentException(
                    "a length of " + bytesInUse + " bytes, where 0 to " + capacity() + " are possible");
        }
        length = bytesInUse;
        writable = writing ? bytesInUse : CLOSED;
    }

    final void close() {
        length = CLOSED;
        writable = CLOSED;
    }

    /** What {@link #texts(int)} has kept: it is not read from memory that the peer may see and change already. */
    final int texts() {
        return texts;
    }

    final void texts(int next) {
        texts = next;
    }

    /** Bytes in all. */
    public final int length() {
        return at(0, 0) + length;
    }

    public abstract byte getByte(int index);

    public abstract short getShort(int index);

    public abstract int getInt(int index);

    public abstract long getLong(int index);

    public final float getFloat(int index) {
        return Float.intBitsToFloat(getInt(index));
    }

    public final double getDouble(int index) {
        return Double.longBitsToDouble(getLong(index));
    }

    /** So many bytes, copied. */
    public abstract byte[] getBytes(int index, int count);

    /**
     * So many bytes, which are text in UTF-8.
     *
     * @throws ProtocolMismatch if they are not
     */
    public abstract String getText(int index, int count);

    public abstract void putByte(int index, byte value);

    public abstract void putShort(int index, short value);

    public abstract void putInt(int index, int value);

    public abstract void putLong(int index, long value);

    public final void putFloat(int index, float value) {
        putInt(index, Float.floatToRawIntBits(value));
    }

    public final void putDouble(int index, double value) {
        putLong(index, Double.doubleToRawLongBits(value));
    }

    /** All of these bytes. */
    public abstract void putBytes(int index, byte[] from);

    /** Where these bytes begin, if they are within. */
    final int at(int index, int count) {
        if ((index | count) < 0 || index > length - count) {
            throw outside(index, count);
        }
        return index;
    }

    /** The same, of bytes that are to be written. */
    final int writableAt(int index, int count) {
        if ((index | count) < 0 || index > writable - count) {
            throw writable == CLOSED && length != CLOSED
                    ? new UnsupportedOperationException("the content of a message can't be changed while it is read")
                    : outside(index, count);
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
