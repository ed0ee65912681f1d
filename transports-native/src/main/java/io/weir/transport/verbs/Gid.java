package io.weir.transport.verbs;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * The address of a port: 128 bits, as those of IPv6 are.
 *
 * @param prefix the first half; on InfiniBand it names the subnet
 * @param suffix the second half
 */
record Gid(long prefix, long suffix) {

    private static final long LINK_LOCAL = 0xfe80L << 48;
    private static final long IPV4_MAPPED = 0xffffL;

    /** Reads one from this place; the buffer's order of bytes does not matter. */
    static Gid at(ByteBuffer bytes, int index) {
        ByteBuffer big = bytes.duplicate().order(ByteOrder.BIG_ENDIAN);
        return new Gid(big.getLong(index), big.getLong(index + Long.BYTES));
    }

    /** Writes it to this place. */
    void put(ByteBuffer bytes, int index) {
        ByteBuffer big = bytes.duplicate().order(ByteOrder.BIG_ENDIAN);
        big.putLong(index, prefix).putLong(index + Long.BYTES, suffix);
    }

    /**
     * As the system writes it: {@code 0000:0000:0000:0000:0000:ffff:0a00:0001}.
     *
     * @throws IllegalArgumentException if this is none
     */
    static Gid parse(String text) {
        byte[] bytes = HexFormat.of().parseHex(text.replace(":", ""));
        if (bytes.length != VerbsLayout.GID_BYTES) {
            throw new IllegalArgumentException("not a GID: " + text);
        }
        return at(ByteBuffer.wrap(bytes), 0);
    }

    boolean isZero() {
        return prefix == 0 && suffix == 0;
    }

    boolean isMulticast() {
        return prefix >>> 56 == 0xff;
    }

    boolean isLinkLocal() {
        return prefix == LINK_LOCAL;
    }

    /** Whether it stands for an address of IPv4. */
    boolean isIpv4() {
        return prefix == 0 && suffix >>> 32 == IPV4_MAPPED;
    }

    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(prefix) + HexFormat.of().toHexDigits(suffix);
    }
}
