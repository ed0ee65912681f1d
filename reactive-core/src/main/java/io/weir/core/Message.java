package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCounted;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What travels through a channel: control data and a payload.
 *
 * <p><b>Ownership.</b> A message owns one reference to its payload. Who sends a message gives that reference away,
 * whether sending succeeds or not; who receives one must {@link #release()} it once, or pass it on. Counting is that of
 * the payload. The message itself is immutable.
 */
public final class Message implements ReferenceCounted {

    private final ControlData control;
    private final ByteBuf payload;
    private final @Nullable FilePiece file;

    private Message(ControlData control, ByteBuf payload) {
        this(control, payload, null);
    }

    private Message(ControlData control, ByteBuf payload, @Nullable FilePiece file) {
        this.control = control;
        this.payload = payload;
        this.file = file;
    }

    /** A message without control data; takes over the caller's reference to the payload. */
    public static Message of(ByteBuf payload) {
        return new Message(ControlData.empty(), Objects.requireNonNull(payload, "payload"));
    }

    /** Takes over the caller's reference to the payload. */
    public static Message of(ControlData control, ByteBuf payload) {
        return new Message(Objects.requireNonNull(control, "control"), Objects.requireNonNull(payload, "payload"));
    }

    /** A message with this text in UTF-8. */
    public static Message of(String text) {
        return of(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** A message with these bytes, which are not copied. */
    public static Message of(byte[] payload) {
        return of(Unpooled.wrappedBuffer(payload));
    }

    /**
     * A message to be sent whose payload is a piece of a file: over a path that can take it from the kernel, it is
     * never copied into the memory of this process; over others it is read into the memory of the path when its turn
     * comes, on a thread that may block. Takes over the caller's reference. What is received is never such a message.
     */
    public static Message of(FilePiece piece) {
        return new Message(ControlData.empty(), Unpooled.EMPTY_BUFFER, Objects.requireNonNull(piece, "piece"));
    }

    /** The same payload with one more entry of control data. The reference moves to the new message. */
    public Message with(String key, String value) {
        return new Message(control.with(key, value), payload, file);
    }

    /** The same payload with other control data. The reference moves to the new message. */
    public Message with(ControlData other) {
        return new Message(Objects.requireNonNull(other, "control"), payload, file);
    }

    /** Control data; empty, not null, when there is none. Stays readable after the message was released. */
    public ControlData control() {
        return control;
    }

    /**
     * The payload, without a change of ownership: its readable bytes. Empty if it is a {@link #file()}, which nobody
     * has read yet.
     */
    public ByteBuf payload() {
        return payload;
    }

    /** The payload of a message that is a piece of a file, without a change of ownership; null if it lies in memory. */
    public @Nullable FilePiece file() {
        return file;
    }

    /** Bytes of the payload that are left to read. */
    public int size() {
        return file == null ? payload.readableBytes() : file.length();
    }

    /** The payload as a value. Releases this, also if it can't be read; fails as {@link Codec#decode} does. */
    public <T> T decode(Codec<T> codec) {
        try {
            return codec.decode(payload);
        } finally {
            release();
        }
    }

    /** As {@link #decode(Codec)}, with an account of the memory that the value takes. */
    public <T> T decode(Codec<T> codec, ValueMemory memory) {
        try {
            return codec.decode(payload, memory);
        } finally {
            release();
        }
    }

    /** The payload as UTF-8 text. Reads without consuming; releases nothing. */
    public String text() {
        return payload.toString(StandardCharsets.UTF_8);
    }

    /** A copy of the payload's bytes. Reads without consuming; releases nothing. */
    public byte[] bytes() {
        return ByteBufUtil.getBytes(payload);
    }

    private ReferenceCounted counted() {
        return file == null ? payload : file;
    }

    @Override
    public int refCnt() {
        return counted().refCnt();
    }

    @Override
    public Message retain() {
        counted().retain();
        return this;
    }

    @Override
    public Message retain(int increment) {
        counted().retain(increment);
        return this;
    }

    @Override
    public Message touch() {
        counted().touch();
        return this;
    }

    @Override
    public Message touch(@Nullable Object hint) {
        counted().touch(hint);
        return this;
    }

    @Override
    public boolean release() {
        return counted().release();
    }

    @Override
    public boolean release(int decrement) {
        return counted().release(decrement);
    }

    /** Sizes and control data; never the payload's content. */
    @Override
    public String toString() {
        return "Message[" + (refCnt() == 0 ? "released" : size() + " B" + (file == null ? "" : " of a file"))
                + (control.isEmpty() ? "" : ", " + control) + ']';
    }
}
