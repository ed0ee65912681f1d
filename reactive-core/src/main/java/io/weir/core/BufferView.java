package io.weir.core;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Content that is all that is readable in a buffer: values for which a buffer is needed anyway. */
final class BufferView extends ContentView {

    private final ByteBuf buffer;
    private final int start;
    /** Up to here everything is this value's. */
    private int written;

    private BufferView(ByteBuf buffer, int written) {
        this.buffer = buffer;
        this.start = buffer.readerIndex();
        this.written = written;
    }

    /** Of a buffer that may hold what somebody else was sent, of which nothing is seen or sent. */
    static BufferView toWrite(ByteBuf buffer) {
        return new BufferView(buffer, 0);
    }

    static BufferView toRead(ByteBuf buffer) {
        return new BufferView(buffer, buffer.readableBytes());
    }

    @Override
    int capacity() {
        return buffer.readableBytes();
    }

    @Override
    public byte getByte(int index) {
        return buffer.getByte(from(index, 1));
    }

    @Override
    public short getShort(int index) {
        return buffer.getShortLE(from(index, Short.BYTES));
    }

    @Override
    public int getInt(int index) {
        return buffer.getIntLE(from(index, Integer.BYTES));
    }

    @Override
    public long getLong(int index) {
        return buffer.getLongLE(from(index, Long.BYTES));
    }

    @Override
    public byte[] getBytes(int index, int count) {
        int from = from(index, count);
        byte[] copy = new byte[count];
        buffer.getBytes(from, copy);
        return copy;
    }

    @Override
    public String getText(int index, int count) {
        byte[] utf8 = getBytes(index, count);
        String text = new String(utf8, StandardCharsets.UTF_8);
        if (Utf8.mayBeMalformed(text)) {
            Utf8.refuseMalformed(utf8);
        }
        return text;
    }

    @Override
    public void putByte(int index, byte value) {
        buffer.setByte(place(index, 1), value);
    }

    @Override
    public void putShort(int index, short value) {
        buffer.setShortLE(place(index, Short.BYTES), value);
    }

    @Override
    public void putInt(int index, int value) {
        buffer.setIntLE(place(index, Integer.BYTES), value);
    }

    @Override
    public void putLong(int index, long value) {
        buffer.setLongLE(place(index, Long.BYTES), value);
    }

    @Override
    public void putBytes(int index, byte[] from) {
        buffer.setBytes(place(index, from.length), from);
    }

    /** Where to write these bytes. What lies in front of them and was not written becomes zero. */
    private int place(int index, int count) {
        int at = writableAt(index, count);
        zero(at);
        written = Math.max(written, at + count);
        return start + at;
    }

    /** Where these bytes are read from. What was not written of them becomes zero. */
    private int from(int index, int count) {
        int at = at(index, count);
        zero(at + count);
        return start + at;
    }

    private void zero(int until) {
        if (until > written) {
            buffer.setZero(start + written, until - written);
            written = until;
        }
    }

    /** Nothing more is written: what was left out is zero. */
    void zeroRest() {
        zero(buffer.readableBytes());
    }
}
