package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Memory for the content of one short message at a time, for paths and what uses them. Belongs to one thread.
 *
 * <p>Nobody else may reach it, the peer in particular: so what is read here can't change meanwhile.
 */
public final class ContentMemory {

    /**
     * Bytes of values that are never seen through {@link BufferView}, but copied: a program whose values are all so
     * short has views of one kind, which it reaches without looking which one it is.
     */
    static final int SHORT = 256;

    private final byte[] bytes;
    private final ArrayView view;

    private final @Nullable LoopBuffers copies;

    /** @param capacity in bytes */
    public ContentMemory(int capacity) {
        this(capacity, null);
    }

    /**
     * The same on a loop.
     *
     * @param capacity in bytes, at most {@link LoopBuffers#LARGEST}
     * @param copies what gives the buffers for copies of what lies here; null: the heap does
     */
    public ContentMemory(int capacity, @Nullable LoopBuffers copies) {
        if (capacity < 0) {
            throw new IllegalArgumentException("a codec says that a value takes " + capacity + " bytes");
        }
        this.bytes = new byte[capacity];
        this.view = new ArrayView(bytes);
        this.copies = copies;
    }

    /** All of it. */
    public byte[] bytes() {
        return bytes;
    }

    /** A copy of the beginning, which the caller owns. */
    ByteBuf copy(int length) {
        LoopBuffers from = copies;
        return from == null
                ? Unpooled.copiedBuffer(bytes, 0, length)
                : from.take(length).setBytes(0, bytes, 0, length);
    }

    /** Whether a codec is at work here. Then nothing may be put here. */
    public boolean inUse() {
        return view.isOpen();
    }

    /**
     * Writes this value to the beginning.
     *
     * @param length as the codec has said, at most the capacity
     */
    public <T> void write(InPlaceCodec<T> codec, T value, int length) {
        write(codec, value, view, length);
    }

    /** Reads the value that lies at the beginning, and is so long. */
    public <T> T read(InPlaceCodec<T> codec, int length) {
        return read(codec, view, length);
    }

    /** Has the codec write this value into that many bytes of the view. */
    static <T> void write(InPlaceCodec<T> codec, T value, ContentView view, int length) {
        view.open(length, true);
        try {
            codec.write(value, view);
        } finally {
            view.close();
        }
    }

    /** The value that the codec reads from that many bytes of the view. */
    static <T> T read(InPlaceCodec<T> codec, ContentView view, int length) {
        view.open(length, false);
        try {
            return codec.read(view);
        } finally {
            view.close();
        }
    }
}
