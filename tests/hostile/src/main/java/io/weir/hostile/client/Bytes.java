package io.weir.hostile.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Little-endian bytes, one behind the other. */
final class Bytes {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Bytes bytes(byte... bytes) {
        out.writeBytes(bytes);
        return this;
    }

    Bytes int16(int value) {
        return int8(value).int8(value >> 8);
    }

    Bytes int32(int value) {
        return int16(value).int16(value >> 16);
    }

    Bytes word(long value) {
        return int32((int) value).int32((int) (value >> 32));
    }

    Bytes text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return int16(utf8.length).bytes(utf8);
    }

    int size() {
        return out.size();
    }

    byte[] toArray() {
        return out.toByteArray();
    }

    private Bytes int8(int value) {
        out.write(value);
        return this;
    }
}
