package io.weir.transport.p4sock;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * An address of Ethernet.
 *
 * @param bits its 48 bits, the first byte highest
 */
record Mac(long bits) {

    /** Bytes of one. */
    static final int BYTES = 6;

    /** In the first byte: a group of hosts. */
    private static final int GROUP = 1;

    private static final HexFormat TEXT = HexFormat.ofDelimiter(":");

    static Mac of(byte[] bytes) {
        long bits = 0;
        for (byte each : bytes) {
            bits = bits << 8 | (each & 0xff);
        }
        return new Mac(bits);
    }

    /** Reads one as {@link #toString} writes it. */
    static Mac parse(String text) {
        byte[] bytes = TEXT.parseHex(text);
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("not an address of Ethernet: " + text);
        }
        return of(bytes);
    }

    /** Whether a host can have it. */
    boolean isOfAHost() {
        return bits != 0 && (bits >>> 40 & GROUP) == 0;
    }

    byte[] bytes() {
        byte[] bytes = new byte[BYTES];
        ByteBuffer whole = ByteBuffer.allocate(Long.BYTES).putLong(0, bits);
        whole.get(Long.BYTES - BYTES, bytes);
        return bytes;
    }

    @Override
    public String toString() {
        return TEXT.formatHex(bytes());
    }
}
