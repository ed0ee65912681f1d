package io.weir.core;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Content that is all that is readable in a buffer: values for which a buffer is needed anyway. It is reached through
 * one {@link ByteBuffer}, since a {@link ByteBuf} counts its references at each access, and Netty's leak detector
 * writes each one down.
 */
final class BufferView extends ContentView {

    private static final byte[] ZEROS = new byte[1024];

    private final ByteBuffer memory;
    /** Up to here everything is this value's. */
    private int written;

    private BufferView(ByteBuf buffer, int written) {
        this.memory = buffer.nioBuffer().slice().order(ByteOrder.LITTLE_ENDIAN);
        this.written = written;
    }

    /** Of a buffer that may hold what somebody else was sent, of which nothing is seen or sent. */
    static BufferView toWrite(ByteBuf buffer) {
        return new BufferView(buffer, 0);
    }

    static BufferView toRead(ByteBuf buffer) {
        return new BufferView(buffer, buffer.readableBytes());
    }

    /** Whether what is readable lies in one piece: of others there would be a copy. */
    static boolean isOnePiece(ByteBuf buffer) {
        return buffer.nioBufferCount() == 1;
    }

    @Override
    int capacity() {
        return memory.capacity();
    }

    @Override
    public byte getByte(int index) {
        return memory.get(from(index, 1));
    }

    @Override
    public short getShort(int index) {
        return memory.getShort(from(index, Short.BYTES));
    }

    @Override
    public int getInt(int index) {
        return memory.getInt(from(index, Integer.BYTES));
    }

    @Override
    public long getLong(int index) {
        return memory.getLong(from(index, Long.BYTES));
    }

    @Override
    public byte[] getBytes(int index, int count) {
        int from = from(index, count);
        byte[] copy = new byte[count];
        memory.get(from, copy);
        return copy;
    }

    @Override
    public String getText(int index, int count) {
        return Utf8.text(getBytes(index, count), 0, count);
    }

    @Override
    public void putByte(int index, byte value) {
        memory.put(place(index, 1), value);
    }

    @Override
    public void putShort(int index, short value) {
        memory.putShort(place(index, Short.BYTES), value);
    }

    @Override
    public void putInt(int index, int value) {
        memory.putInt(place(index, Integer.BYTES), value);
    }

    @Override
    public void putLong(int index, long value) {
        memory.putLong(place(index, Long.BYTES), value);
    }

    @Override
    public void putBytes(int index, byte[] from) {
        memory.put(place(index, from.length), from);
    }

    /** Where to write these bytes. What lies in front of them and was not written becomes zero. */
    private int place(int index, int count) {
        int at = writableAt(index, count);
        zero(at);
        written = Math.max(written, at + count);
        return at;
    }

    /** Where these bytes are read from. What was not written of them becomes zero. */
    private int from(int index, int count) {
        int at = at(index, count);
        zero(at + count);
        return at;
    }

    private void zero(int until) {
        while (until > written) {
            int some = Math.min(until - written, ZEROS.length);
            memory.put(written, ZEROS, 0, some);
            written += some;
        }
    }

    /** Nothing more is written: what was left out is zero. */
    void zeroRest() {
        zero(memory.capacity());
    }
}
