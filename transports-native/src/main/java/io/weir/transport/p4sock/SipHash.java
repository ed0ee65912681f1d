package io.weir.transport.p4sock;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a short keyed hash that nobody can compute without the key. Without an
 * object per hash, which is why it is not a library's. Not thread-safe.
 */
final class SipHash {

    /** Bytes of a key. */
    static final int KEY = 16;

    private final long k0;
    private final long k1;
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    /** @param key read from its position on, and not moved */
    SipHash(ByteBuffer key) {
        ByteBuffer words = key.slice().order(ByteOrder.LITTLE_ENDIAN);
        k0 = words.getLong(0);
        k1 = words.getLong(8);
    }

    /** Of three words of 64 bits. */
    long hash(long first, long second, long third) {
        begin();
        add(first);
        add(second);
        add(third);
        return end((3L * Long.BYTES) << 56);
    }

    /** Of a number and these bytes. */
    long hash(long number, ByteBuffer bytes, int from, int length) {
        begin();
        add(number);
        int at = 0;
        for (; at <= length - Long.BYTES; at += Long.BYTES) {
            long word = bytes.getLong(from + at);
            add(bytes.order() == ByteOrder.LITTLE_ENDIAN ? word : Long.reverseBytes(word));
        }
        long rest = (long) (length + Long.BYTES) << 56;
        for (int shift = 0; at < length; at++, shift += 8) {
            rest |= (bytes.get(from + at) & 0xffL) << shift;
        }
        return end(rest);
    }

    private void begin() {
        v0 = k0 ^ 0x736f6d6570736575L;
        v1 = k1 ^ 0x646f72616e646f6dL;
        v2 = k0 ^ 0x6c7967656e657261L;
        v3 = k1 ^ 0x7465646279746573L;
    }

    private void add(long word) {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }

    private long end(long rest) {
        add(rest);
        v2 ^= 0xff;
        round();
        round();
        round();
        round();
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
    }
}
