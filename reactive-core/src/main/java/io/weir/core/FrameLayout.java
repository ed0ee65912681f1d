package io.weir.core;

/**
 * The header of a frame, drawn once. All numbers are little-endian; every frame starts at a multiple of 8.
 *
 * <pre>
 *   0        1        2        3        4        5        6        7
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0 | length (32): control + body bytes | kind   | flags  | control length  |
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8 | channel (32)                      | aux (32)                          |
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 *16 | 0, 1 or 2 words of 64 bits, as the kind says ...
 *   | control data, body, zero to seven bytes that bring the whole to a multiple of 8
 * </pre>
 */
public final class FrameLayout {

    /** Bytes of the header. */
    public static final int HEADER = 16;

    /** The control data of one frame in bytes at most: what its 16-bit length can say. */
    public static final int MAX_CONTROL = 0xffff;

    private FrameLayout() {}

    /** The first header word. */
    public static long word0(int kindCode, int flags, int controlLength, int length) {
        return (length & 0xffff_ffffL)
                | (kindCode & 0xffL) << 32
                | (flags & 0xffL) << 40
                | (controlLength & 0xffffL) << 48;
    }

    /** The second header word. */
    public static long word1(int channel, int aux) {
        return (channel & 0xffff_ffffL) | ((long) aux) << 32;
    }

    /** Control and body bytes; negative when a peer claims 2 GiB or more. */
    public static int length(long word0) {
        return (int) word0;
    }

    public static int kindCode(long word0) {
        return (int) (word0 >>> 32) & 0xff;
    }

    public static int flags(long word0) {
        return (int) (word0 >>> 40) & 0xff;
    }

    public static int controlLength(long word0) {
        return (int) (word0 >>> 48) & 0xffff;
    }

    public static int channel(long word1) {
        return (int) word1;
    }

    public static int aux(long word1) {
        return (int) (word1 >>> 32);
    }

    /** The next multiple of 8. */
    public static int align(int bytes) {
        return (bytes + 7) & ~7;
    }

    /** Bytes that a frame takes on a byte stream: header, words, control data, body, padding. */
    public static long size(int words, int length) {
        return HEADER + 8L * words + ((length + 7L) & ~7L);
    }
}
