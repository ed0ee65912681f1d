package io.weir.hostile.client;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A frame. Whoever makes one decides what is in it; nothing here checks that it makes sense. */
public record Frame(int kind, int flags, int channel, int aux, long[] words, byte[] control, byte[] body) {

    public static final int HEADER = 16;

    private static final byte[] NONE = {};

    public static Frame of(int kind, int flags, int channel, int aux, long... words) {
        return new Frame(kind, flags, channel, aux, words, NONE, NONE);
    }

    public static Frame open(int channel, String port, int flags, long items, long bytes) {
        return of(Kind.OPEN, flags, channel, 0, items, bytes).with(port.getBytes(StandardCharsets.UTF_8));
    }

    public static Frame data(int channel, byte[] payload) {
        return of(Kind.DATA, 0, channel, 0).with(payload);
    }

    public static Frame request(int channel, int number, byte[] payload) {
        return of(Kind.DATA, Flag.REQUEST, channel, number).with(payload);
    }

    /** The beginning of a message of {@code total} bytes, whatever there is of it. */
    public static Frame first(int channel, long total, byte[] piece) {
        return of(Kind.FIRST, 0, channel, 0, total).with(piece);
    }

    public static Frame next(int channel, byte[] piece) {
        return of(Kind.NEXT, 0, channel, 0).with(piece);
    }

    public static Frame end(int channel) {
        return of(Kind.END, 0, channel, 0);
    }

    public static Frame credit(int channel, long items, long bytes) {
        return of(Kind.CREDIT, 0, channel, 0, items, bytes);
    }

    public static Frame want(int channel, long bytes) {
        return of(Kind.WANT, 0, channel, 0, bytes);
    }

    public Frame with(byte[] newBody) {
        return new Frame(kind, flags, channel, aux, words, control, newBody);
    }

    public Frame withControl(byte[] newControl) {
        return new Frame(kind, flags, channel, aux, words, newControl, body);
    }

    /** Entries of control data, one behind the other. */
    public static byte[] control(Map<String, String> entries) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        entries.forEach((key, value) -> {
            byte[] name = key.getBytes(StandardCharsets.UTF_8);
            byte[] text = value.getBytes(StandardCharsets.UTF_8);
            bytes.write(name.length);
            bytes.writeBytes(name);
            bytes.write(text.length);
            bytes.write(text.length >> 8);
            bytes.writeBytes(text);
        });
        return bytes.toByteArray();
    }

    /** The first 16 bytes of a frame, which may lie about everything that follows. */
    public static byte[] header(int length, int kind, int flags, int controlLength, int channel, int aux) {
        byte[] header = new byte[HEADER];
        little(header)
                .putInt(length)
                .put((byte) kind)
                .put((byte) flags)
                .putShort((short) controlLength)
                .putInt(channel)
                .putInt(aux);
        return header;
    }

    /** As on TCP. */
    public byte[] bytes() {
        return into(new byte[padded(size())]);
    }

    /** Several frames as on TCP, one behind the other. */
    public static byte[] join(Frame... frames) {
        Bytes bytes = new Bytes();
        for (Frame frame : frames) {
            bytes.bytes(frame.bytes());
        }
        return bytes.toArray();
    }

    /** As in a tunnel. */
    public byte[] unpadded() {
        return into(new byte[size()]);
    }

    private int size() {
        return HEADER + 8 * words.length + control.length + body.length;
    }

    private byte[] into(byte[] bytes) {
        ByteBuffer buffer =
                little(bytes).put(header(control.length + body.length, kind, flags, control.length, channel, aux));
        for (long word : words) {
            buffer.putLong(word);
        }
        buffer.put(control).put(body);
        return bytes;
    }

    /** What the message costs of the receiver's bytes of credit, if this is all of it. */
    public long cost() {
        return control.length + (kind == Kind.FIRST ? words[0] : body.length);
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** The next frame of a stream. */
    static Frame read(InputStream in) throws IOException {
        byte[] header = exactly(in, HEADER);
        int length = little(header).getInt();
        if (length < 0 || length > 1 << 17) {
            throw new IOException("a frame of " + length + " bytes");
        }
        int words = Kind.words(header[4] & 0xff);
        byte[] rest = exactly(in, padded(8 * words + length));
        return parse(header, rest, length);
    }

    /** A frame without padding that is all of {@code message}. */
    static Frame parse(byte[] message) throws IOException {
        if (message.length < HEADER) {
            throw new IOException("a message of " + message.length + " bytes is no frame");
        }
        byte[] header = new byte[HEADER];
        byte[] rest = new byte[message.length - HEADER];
        System.arraycopy(message, 0, header, 0, HEADER);
        System.arraycopy(message, HEADER, rest, 0, rest.length);
        int length = little(header).getInt();
        return parse(header, rest, length);
    }

    private static Frame parse(byte[] header, byte[] rest, int length) throws IOException {
        ByteBuffer fields = little(header);
        int kind = fields.get(4) & 0xff;
        int controlLength = fields.getShort(6) & 0xffff;
        long[] words = new long[Kind.words(kind)];
        ByteBuffer content = little(rest);
        if (length < controlLength || rest.length < 8 * words.length + length) {
            throw new IOException("a frame of kind " + kind + " contradicts itself");
        }
        for (int word = 0; word < words.length; word++) {
            words[word] = content.getLong();
        }
        byte[] control = new byte[controlLength];
        byte[] body = new byte[length - controlLength];
        content.get(control).get(body);
        return new Frame(kind, fields.get(5) & 0xff, fields.getInt(8), fields.getInt(12), words, control, body);
    }

    private static byte[] exactly(InputStream in, int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the node has closed the connection");
        }
        return bytes;
    }

    private static int padded(int length) {
        return (length + 7) & -8;
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public String toString() {
        return "kind " + kind + ", flags " + flags + ", channel " + Integer.toUnsignedString(channel) + ", aux " + aux
                + ", " + body.length + " bytes"
                + (kind == Kind.ERROR || kind == Kind.GOODBYE || kind == Kind.REFUSE || kind == Kind.FAILED
                        ? ": " + text()
                        : "");
    }
}
