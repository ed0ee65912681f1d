package io.weir.transport.p4sock;

/**
 * An IPv4 address and the subnet that it lies in.
 *
 * @param address its 32 bits
 * @param length of the prefix that all addresses of the subnet have
 */
record Subnet(int address, int length) {

    /** Whether both lie in one subnet, as both see it. */
    boolean joins(Subnet other) {
        return length == other.length && prefix() == other.prefix() && address != other.address;
    }

    private int prefix() {
        return length == 0 ? 0 : address & -1 << (Integer.SIZE - length);
    }

    /** Reads one as {@link #toString} writes it. */
    static Subnet parse(String text) {
        String[] parts = text.split("[./]", -1);
        if (parts.length != 5) {
            throw new IllegalArgumentException("not an address with its prefix: " + text);
        }
        int address = 0;
        for (int i = 0; i < 4; i++) {
            address = address << 8 | number(parts[i], 255);
        }
        return new Subnet(address, number(parts[4], Integer.SIZE));
    }

    private static int number(String text, int most) {
        int value = Integer.parseInt(text);
        if (value < 0 || value > most) {
            throw new IllegalArgumentException("not from 0 to " + most + ": " + text);
        }
        return value;
    }

    @Override
    public String toString() {
        return (address >>> 24) + "." + (address >>> 16 & 0xff) + '.' + (address >>> 8 & 0xff) + '.' + (address & 0xff)
                + '/' + length;
    }
}
