package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCountUtil;
import io.weir.channel.Peer;
import io.weir.core.ValueMemory;

/**
 * How the values at one place of a signature travel: an argument, a result, the items of a stream. They are never null.
 */
interface Place {

    /** Appends the value. */
    void write(Object value, ByteBuf target, Peer to);

    /**
     * The value that the readable bytes are.
     *
     * @throws io.weir.core.Overloaded if there is no memory for it
     */
    Object read(ByteBuf source, Peer from, ValueMemory memory);

    /** Whether reading has no place on a loop. */
    default boolean readsSlowly() {
        return false;
    }

    /** Whether a codec reads it: on a loop, but for long values. */
    default boolean isDecoded() {
        return this instanceof Coded && !readsSlowly();
    }

    /** These bytes, as memory that the garbage collector frees, to be read elsewhere. */
    static ByteBuf copy(ByteBuf bytes) {
        return Unpooled.wrappedBuffer(ByteBufUtil.getBytes(bytes));
    }

    /** Takes back what was written and never sent. */
    default void takeBack(Object value, Peer from) {}

    /** The value was given away. */
    default void release(Object value) {}

    /** By a codec. */
    record Coded(CallCodec.Values values, boolean readsSlowly) implements Place {

        @Override
        public void write(Object value, ByteBuf target, Peer to) {
            values.write(value, target);
        }

        @Override
        public Object read(ByteBuf source, Peer from, ValueMemory memory) {
            return values.read(source, memory);
        }
    }

    /** Bytes as they are. */
    record Bytes() implements Place {

        @Override
        public void write(Object value, ByteBuf target, Peer to) {
            target.writeBytes((byte[]) value);
        }

        @Override
        public Object read(ByteBuf source, Peer from, ValueMemory memory) {
            memory.use(source.readableBytes());
            return ByteBufUtil.getBytes(source);
        }
    }

    /** Buffers as they are. What arrives is memory of its own, which the garbage collector frees. */
    record Buffers() implements Place {

        @Override
        public void write(Object value, ByteBuf target, Peer to) {
            ByteBuf buffer = (ByteBuf) value;
            target.writeBytes(buffer, buffer.readerIndex(), buffer.readableBytes());
        }

        @Override
        public Object read(ByteBuf source, Peer from, ValueMemory memory) {
            memory.use(source.readableBytes());
            return Place.copy(source);
        }

        @Override
        public void release(Object value) {
            ReferenceCountUtil.release(value);
        }
    }
}
