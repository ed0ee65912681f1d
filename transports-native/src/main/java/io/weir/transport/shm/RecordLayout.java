package io.weir.transport.shm;

/**
 * The records of a ring. A record is a frame as {@link io.weir.core.FrameLayout} draws it, in one piece, at a multiple of 8.
 *
 * <p>Its first word says that it is there: the sender writes everything else, makes the first word behind the record zero,
 * and then writes the first word with release semantics. So the receiver waits at a zero, learns of a record by the very
 * cache line that holds it, and nobody keeps a shared end of the ring.
 *
 * <p>Two link flags and kind 0 are used here:
 *
 * <pre>
 *  BLOCK     the body lies in the pool: instead of it two words stand before the control data,
 *            offset in the pool (32), body length (32) and slot (32), zero (32); the header's length counts them
 *  PADDING   kind 0; only a first word, whose length is that of the rest of the ring: go on at its beginning
 *  GOODBYE   kind 0; only a first word: nothing follows, the sender has closed
 * </pre>
 */
final class RecordLayout {

    static final int BLOCK = 0x10;
    static final int PADDING = 0x20;
    static final int GOODBYE = 0x40;

    /** Bytes of the description of a block. */
    static final int BLOCK_WORDS = 16;

    /** Bytes that are always left free: for a goodbye and for the zero behind it. */
    static final int RESERVE = 16;

    private RecordLayout() {}

    /** The longest record: large enough for throughput, small enough that several fit and the receiver's progress shows. */
    static int maxRecord(int ringSize) {
        return ringSize / 8;
    }

    /** What the length of the longest record says, whatever its kind. */
    static int maxLength(int ringSize) {
        return maxRecord(ringSize) - 32;
    }

    /** Control and body bytes of the longest frame: even if all were control data, a block could be described beside them. */
    static int maxFrame(int ringSize) {
        return maxLength(ringSize) - BLOCK_WORDS;
    }
}
