package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * A codec that knows how long a value is before it writes it, and needs no buffer for that. Where the path allows it, a
 * short value is written into memory from which the path takes it, and read from memory into which the path has put it:
 * then a value costs no buffer and no {@link Message}. {@code Channel.send} and {@code Channel.receive},
 * {@code Node.answer}, and {@code Peer.ask} on a loop, do so by themselves when they are given such a codec; wherever
 * that is not possible, they {@link #encode} and {@link #decode}. A value that is read in place has 2 KiB at most, and
 * is not counted with {@link Codec#decode(ByteBuf, ValueMemory)}.
 *
 * <p>All methods may be called by any thread, and more than once for the same value.
 *
 * @param <T> the values
 */
public interface InPlaceCodec<T> extends Codec<T> {

    /** How many bytes this value takes, from 0. */
    int length(T value);

    /**
     * Writes this value into memory as long as {@link #length} has said. All of it has to be written: it may hold what
     * the peer was sent before. Nothing that matters should be read from it: over shared memory the peer can change it
     * already. It must not be used when this has returned.
     */
    void write(T value, ContentView to);

    /**
     * Reads the value that is all of this memory, which must not be changed, nor be used when this has returned.
     *
     * @throws ProtocolMismatch if it is no such value, saying why; hostile input does nothing worse
     */
    T read(ContentView from);

    /** Writes the value into a buffer as long as {@link #length} says. */
    @Override
    default ByteBuf encode(T value, ByteBufAllocator allocator) {
        int length = length(value);
        if (length <= ContentMemory.SHORT) {
            ContentMemory memory = new ContentMemory(length);
            memory.write(this, value, length);
            return allocator.buffer(length).writeBytes(memory.bytes());
        }
        ByteBuf payload = allocator.buffer(length, length).writerIndex(length);
        boolean written = false;
        try {
            write(this, value, payload);
            written = true;
            return payload;
        } finally {
            if (!written) {
                payload.release();
            }
        }
    }

    private static <T> void write(InPlaceCodec<T> codec, T value, ByteBuf payload) {
        int length = payload.readableBytes();
        if (!BufferView.isOnePiece(payload)) {
            ContentMemory memory = new ContentMemory(length);
            memory.write(codec, value, length);
            payload.setBytes(payload.readerIndex(), memory.bytes());
            return;
        }
        BufferView view = BufferView.toWrite(payload);
        ContentMemory.write(codec, value, view, length);
        view.zeroRest();
    }

    /** Reads the value where it lies, or from a copy where another process could change it. */
    @Override
    default T decode(ByteBuf payload) {
        int length = payload.readableBytes();
        if (length <= ContentMemory.SHORT) {
            ContentMemory memory = new ContentMemory(length);
            payload.getBytes(payload.readerIndex(), memory.bytes());
            return memory.read(this, length);
        }
        if (payload.hasArray()) {
            return ContentMemory.read(this, BufferView.toRead(payload), length);
        }
        ByteBuf copy = ByteBufAllocator.DEFAULT.heapBuffer(length, length);
        try {
            copy.writeBytes(payload, payload.readerIndex(), length);
            return ContentMemory.read(this, BufferView.toRead(copy), length);
        } finally {
            copy.release();
        }
    }
}
