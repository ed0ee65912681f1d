package io.weir.core;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Content that is all that is readable in a buffer: values for which a buffer is needed anyway. */
final class BufferView extends ContentView {

    private final ByteBuf buffer;
    private final int start;
    /** Up to here everything was written. */
    private int written;

    BufferView(ByteBuf buffer) {
        this.buffer = buffer;
        this.start = buffer.readerIndex();
    }

    @Override
    int capacity() {
        return buffer.readableBytes();
    }

    @Override
    public byte getByte(int index) {
        return buffer.getByte(start + at(index, 1));
    }

    @Override
    public short getShort(int index) {
        return buffer.getShortLE(start + at(index, Short.BYTES));
    }

    @Override
    public int getInt(int index) {
        return buffer.getIntLE(start + at(index, Integer.BYTES));
    }

    @Override
    public long getLong(int index) {
        return buffer.getLongLE(start + at(index, Long.BYTES));
    }

    @Override
    public byte[] getBytes(int index, int count) {
        int from = start + at(index, count);
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

    /** Where to write these bytes. What lies in front of them and was not written is zero: nobody else's content. */
    private int place(int index, int count) {
        int at = at(index, count);
        zero(at);
        written = Math.max(written, at + count);
        return start + at;
    }

    private void zero(int until) {
        if (until > written) {
            buffer.setZero(start + written, until - written);
        }
    }

    /** Nothing more is written: what was left out is zero. */
    void zeroRest() {
        zero(buffer.readableBytes());
    }
}
