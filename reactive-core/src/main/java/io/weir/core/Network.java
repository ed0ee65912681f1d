package io.weir.core;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * A network, or the one address of a host, as they are written in settings: {@code 10.1.0.0/16}, {@code fd00::/8},
 * {@code 10.1.0.7}. Immutable.
 */
public final class Network {

    private final byte[] address;
    private final int bits;

    private Network(byte[] address, int bits) {
        this.address = address;
        this.bits = bits;
    }

    /** Reads one, without looking anything up; null if it is none. */
    public static @Nullable Network read(String text) {
        int slash = text.indexOf('/');
        byte[] address = literal(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            return null;
        }
        int all = address.length * Byte.SIZE;
        if (slash < 0) {
            return new Network(address, all);
        }
        String digits = text.substring(slash + 1);
        int bits = digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : Integer.MAX_VALUE;
        return bits <= all ? new Network(address, bits) : null;
    }

    /** What an IPv6 address maps of IPv4 is of IPv4. */
    private static byte @Nullable [] literal(String text) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
        try {
            return bytes == null ? null : InetAddress.getByAddress(bytes).getAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException(bytes.length + " bytes are no address", e);
        }
    }

    /** Whether this is one of its addresses. */
    public boolean holds(InetAddress other) {
        byte[] bytes = other.getAddress();
        if (bytes.length != address.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 0x80 >> (bit & 7);
            if (((bytes[bit >> 3] ^ address[bit >> 3]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    /** As it can be read. */
    @Override
    public String toString() {
        return NetUtil.bytesToIpAddress(address) + (bits == address.length * Byte.SIZE ? "" : "/" + bits);
    }
}
