package io.weir.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A few named values that travel with a message: a tag, a trace, a deadline. Immutable. Costs nothing when empty, and
 * is read only when asked for.
 *
 * <p>On the wire, for each entry: key length (8 bits), key in UTF-8, value length (16 bits, little-endian), value. Keys
 * are unique; a later entry of the same key wins.
 */
public final class ControlData {

    /** All entries together in bytes of their wire form: small enough for every link to carry them beside a payload. */
    public static final int MAX_BYTES = 16 * 1024;

    private static final ControlData EMPTY = new ControlData(Frame.NO_CONTROL);

    /** Bytes that are looked through as fast as it is found out what was looked for before. */
    private static final int SHORT = 256;

    private final byte[] encoded;
    /**
     * What was looked for last: many may look for the same. Threads need not agree on it.
     */
    private @Nullable Found latest;

    /** Where the last entry of this name is. */
    private static final class Found {
        final byte[] name;
        final int at;

        Found(byte[] name, int at) {
            this.name = name;
            this.at = at;
        }
    }

    private ControlData(byte[] encoded) {
        this.encoded = encoded;
    }

    /** No entries. */
    public static ControlData empty() {
        return EMPTY;
    }

    /** One entry. */
    public static ControlData of(String key, String value) {
        return EMPTY.with(key, value);
    }

    /**
     * Reads the wire form, which is checked but not copied.
     *
     * @throws ProtocolMismatch if it is not well-formed, or longer than {@link #MAX_BYTES}
     */
    public static ControlData decode(byte[] encoded) {
        if (encoded.length == 0) {
            return EMPTY;
        }
        if (encoded.length > MAX_BYTES) {
            throw new ProtocolMismatch("control data of " + encoded.length + " bytes exceeds " + MAX_BYTES);
        }
        int at = 0;
        while (at < encoded.length) {
            at = next(encoded, at);
            if (at < 0 || at > encoded.length) {
                throw new ProtocolMismatch("control data of " + encoded.length + " bytes is cut off or malformed");
            }
        }
        return new ControlData(encoded);
    }

    /**
     * These entries and one more, which replaces an entry of the same key.
     *
     * @param key 1 to 255 bytes in UTF-8
     * @param value any text
     * @throws MessageTooLarge if everything together exceeds {@link #MAX_BYTES}
     */
    public ControlData with(String key, String value) {
        return with(key, value.getBytes(StandardCharsets.UTF_8));
    }

    /** As {@link #with(String, String)}, with a value of bytes. */
    public ControlData with(String key, byte[] value) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > 255) {
            throw new IllegalArgumentException("a key of control data has 1 to 255 bytes, not " + name.length);
        }
        byte[] rest = without(name);
        long size = rest.length + 3L + name.length + value.length;
        if (size > MAX_BYTES) {
            throw new MessageTooLarge(
                    "control data of " + size + " bytes exceeds " + MAX_BYTES + "; put what is long into the payload");
        }
        byte[] all = Arrays.copyOf(rest, (int) size);
        int at = rest.length;
        all[at++] = (byte) name.length;
        System.arraycopy(name, 0, all, at, name.length);
        at += name.length;
        all[at++] = (byte) value.length;
        all[at++] = (byte) (value.length >>> 8);
        System.arraycopy(value, 0, all, at, value.length);
        return new ControlData(all);
    }

    /** The value of this key as text, or null. */
    public @Nullable String get(String key) {
        byte[] value = bytes(key);
        return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }

    /** A copy of the value of this key, or null. */
    public byte @Nullable [] bytes(String key) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        int at = last(name);
        return at < 0 ? null : Arrays.copyOfRange(encoded, at + 3 + name.length, next(encoded, at));
    }

    /** Whether there is an entry of this key with this value. */
    public boolean has(String key, String value) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        byte[] wanted = value.getBytes(StandardCharsets.UTF_8);
        int at = last(name);
        return at >= 0 && Arrays.equals(encoded, at + 3 + name.length, next(encoded, at), wanted, 0, wanted.length);
    }

    /** Where the entry of this name begins that counts; negative if there is none. */
    private int last(byte[] name) {
        if (encoded.length <= SHORT) {
            return find(name);
        }
        Found known = latest;
        if (known == null || !Arrays.equals(known.name, name)) {
            known = new Found(name, find(name));
            latest = known;
        }
        return known.at;
    }

    private int find(byte[] name) {
        int found = -1;
        for (int at = 0; at < encoded.length; at = next(encoded, at)) {
            if (named(at, name)) {
                found = at;
            }
        }
        return found;
    }

    public boolean isEmpty() {
        return encoded.length == 0;
    }

    /** All entries as text, in order. */
    public Map<String, String> asMap() {
        Map<String, String> texts = new LinkedHashMap<>();
        entries().forEach((key, value) -> texts.put(text(key), text(value)));
        return texts;
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    /** Keys and values as bytes, which, unlike texts, differ whenever the entries do. */
    private Map<ByteBuffer, ByteBuffer> entries() {
        Map<ByteBuffer, ByteBuffer> entries = new LinkedHashMap<>();
        int behind;
        for (int at = 0; at < encoded.length; at = behind) {
            behind = next(encoded, at);
            int key = encoded[at] & 0xff;
            int value = at + 3 + key;
            entries.put(ByteBuffer.wrap(encoded, at + 1, key), ByteBuffer.wrap(encoded, value, behind - value));
        }
        return entries;
    }

    /** The wire form. Not copied: must not be changed. */
    public byte[] encoded() {
        return encoded;
    }

    private byte[] without(byte[] name) {
        byte[] kept = new byte[encoded.length];
        int size = 0;
        for (int at = 0; at < encoded.length; at = next(encoded, at)) {
            if (!named(at, name)) {
                int length = next(encoded, at) - at;
                System.arraycopy(encoded, at, kept, size, length);
                size += length;
            }
        }
        return size == kept.length ? kept : Arrays.copyOf(kept, size);
    }

    private boolean named(int at, byte[] name) {
        return (encoded[at] & 0xff) == name.length
                && Arrays.equals(encoded, at + 1, at + 1 + name.length, name, 0, name.length);
    }

    /** Where the entry behind the one at this place begins; negative if its lengths are cut off or its key is empty. */
    private static int next(byte[] from, int at) {
        int key = from[at] & 0xff;
        int length = at + 1 + key;
        if (key == 0 || length + 2 > from.length) {
            return -1;
        }
        return length + 2 + (from[length] & 0xff) + ((from[length + 1] & 0xff) << 8);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ControlData that && entries().equals(that.entries());
    }

    @Override
    public int hashCode() {
        return entries().hashCode();
    }

    @Override
    public String toString() {
        return asMap().toString();
    }
}
