package io.weir.transport.shm;

import io.weir.core.Misconfigured;
import io.weir.transport.nativelib.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The memory of one direction, drawn once. All numbers are little-endian. What different sides write lies at least 128
 * bytes apart, because processors fetch cache lines in pairs.
 *
 * <pre>
 *     0  magic "WEIR" (32), version (32)
 *     8  ring size (32), pool size (32)
 *   128  how far the receiver has read, in bytes since the beginning (64)      written by the receiver
 *   256  the receiver sleeps: wake it after publishing (64)                    set by the receiver, cleared by both
 *   384  the sender waits for room or a slot: wake it (64)                     set by the sender, cleared by both
 *  4096  returns: a ring of as many 32-bit entries as there are slots, each zero or the slot of a block that the
 *        receiver gives back, plus one                                         set by the receiver, zeroed by the
 *                                                                              sender
 *     .  ring: records, see {@link RecordLayout}, at a multiple of 4096        written by the sender
 *     .  pool: blocks, in units of 16 KiB                                      written by the sender
 * </pre>
 *
 * @param ringSize bytes of the ring, a power of two
 * @param poolSize bytes of the pool, a multiple of the unit
 */
record SegmentLayout(int ringSize, int poolSize) {

    static final VarHandle LONGS = Bytes.LONGS;
    static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** Of everything drawn here, and of what is said on the socket. */
    static final int VERSION = 2;

    /** "WEIR" and the version. */
    static final long MAGIC = 0x5249_4557L | (long) VERSION << 32;

    static final int SIZES = 8;
    static final int READ_POSITION = 128;
    static final int RECEIVER_SLEEPS = 256;
    static final int SENDER_WAITS = 384;
    static final int RETURNS = 4096;

    /**
     * Large enough that a block costs little to find, small enough that a body just above the inline size wastes
     * little.
     */
    static final int UNIT = 16 << 10;

    static final int MIN_RING = 64 << 10;
    static final int MAX_RING = 64 << 20;
    static final int MIN_POOL = 64 << 10;
    static final int MAX_POOL = 1 << 30;

    private static final int PAGE = 4096;

    /**
     * Checks both sizes.
     *
     * @throws Misconfigured naming the wrong one
     */
    SegmentLayout {
        if (ringSize < MIN_RING || ringSize > MAX_RING || Integer.bitCount(ringSize) != 1) {
            throw new Misconfigured(
                    "ring-size=" + ringSize + " is not a power of two from " + MIN_RING + " to " + MAX_RING);
        }
        if (poolSize < MIN_POOL || poolSize > MAX_POOL || poolSize % UNIT != 0) {
            throw new Misconfigured("pool-size=" + poolSize + " is not a multiple of " + UNIT + " from " + MIN_POOL
                    + " to " + MAX_POOL);
        }
    }

    int units() {
        return poolSize / UNIT;
    }

    /**
     * How many blocks may be on their way or with the receiver: a power of two, more than units, since a block may be
     * sent in slices.
     */
    int slots() {
        return Integer.highestOneBit(units()) << 1;
    }

    int ring() {
        return RETURNS + pages(slots() * Integer.BYTES);
    }

    int pool() {
        return ring() + ringSize;
    }

    /** All of it, in bytes. */
    int length() {
        return pool() + poolSize;
    }

    long sizes() {
        return ringSize | (long) poolSize << 32;
    }

    private static int pages(int bytes) {
        return (bytes + PAGE - 1) & -PAGE;
    }
}
