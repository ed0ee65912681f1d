package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Random bytes, made once, which all contents of the tests are cut from: a piece is known by its place and length, so a
 * receiver can tell every wrong, missing or misplaced byte without having been sent a checksum.
 */
final class Noise {

    /** The longest piece. */
    static final int LONGEST = 4 << 20;

    /** Pieces begin before this place. */
    static final int PLACES = 1 << 16;

    private static final byte[] BYTES = new byte[LONGEST + PLACES];

    static {
        new SplittableRandom(0x77656972).nextBytes(BYTES);
    }

    private Noise() {}

    /** A copy of a piece. */
    static byte[] copy(int place, int length) {
        return Arrays.copyOfRange(BYTES, place, place + length);
    }

    /** Writes a piece at the writer index. */
    static ByteBuf write(ByteBuf into, int place, int length) {
        return into.writeBytes(BYTES, place, length);
    }

    /** All bytes as a new buffer that shares them. */
    static ByteBuf shared() {
        return Unpooled.wrappedBuffer(BYTES);
    }

    /** Whether these are the bytes of the piece. */
    static boolean equal(int place, byte[] bytes) {
        return Arrays.equals(BYTES, place, place + bytes.length, bytes, 0, bytes.length);
    }

    /** Whether the readable bytes are those of the piece; does not consume them. */
    static boolean equal(int place, ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()]; // one access: Netty's leak detector takes notes of each
        buffer.getBytes(buffer.readerIndex(), bytes);
        return equal(place, bytes);
    }
}
