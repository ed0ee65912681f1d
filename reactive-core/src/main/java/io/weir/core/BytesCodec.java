package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;

/** Bytes as they are. */
final class BytesCodec implements InPlaceCodec<byte[]> {

    static final BytesCodec INSTANCE = new BytesCodec();

    private BytesCodec() {}

    @Override
    public ByteBuf encode(byte[] value, ByteBufAllocator allocator) {
        return allocator.buffer(value.length).writeBytes(value);
    }

    @Override
    public byte[] decode(ByteBuf payload) {
        return ByteBufUtil.getBytes(payload);
    }

    @Override
    public int length(byte[] value) {
        return value.length;
    }

    @Override
    public void write(byte[] value, ContentView to) {
        to.putBytes(0, value);
    }

    @Override
    public byte[] read(ContentView from) {
        return from.getBytes(0, from.length());
    }

    @Override
    public String toString() {
        return "bytes";
    }
}
