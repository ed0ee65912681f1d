package io.weir.transport.shm;

/**
 * The records of a ring. A record is a frame as {@link io.weir.core.FrameLayout} draws it, in one piece, at a multiple
 * of 8. Records come in runs: what the sender has written before it publishes. A run begins at the beginning of a cache
 * line.
 *
 * <p>The first word of a run says that it is there: the sender writes everything else, sees to it that the first word
 * of the next run's place is zero, and then writes the first word with release semantics. So the receiver waits at a
 * zero, learns of a run by the very cache line that holds it, and nobody keeps a shared end of the ring.
 *
 * <p>Two link flags and kind 0 are used here:
 *
 * <pre>
 *  BLOCK     the body lies in the pool: instead of it two words stand before the control data,
 *            offset in the pool (32), body length (32) and slot (32), zero (32); the header's length counts them
 *  PADDING   kind 0; only a first word, whose length says how far it is to the next cache line, as the run ends here,
 *            or to the end of the ring, as the next record does not fit before it,
 *            or before the end of the ring's memory
 *  GOODBYE   kind 0; only a first word: nothing follows, the sender has closed
 * </pre>
 */
final class RecordLayout {

    static final int BLOCK = 0x10;
    static final int PADDING = 0x20;
    static final int GOODBYE = 0x40;

    /** Bytes of the description of a block. */
    static final int BLOCK_WORDS = 16;

    /**
     * Runs begin at a multiple of this: a short one costs one transfer between processors, which costs more than room.
     */
    static final int LINE = 64;

    /** Bytes that are always left free: for the padding behind a run, for a goodbye and for the zero behind it. */
    static final int RESERVE = 3 * LINE;

    private RecordLayout() {}

    /**
     * The longest record: large enough for throughput, small enough that several fit, that the receiver's progress
     * shows, and that what comes behind it does not wait long.
     */
    static int maxRecord(int ringSize) {
        return Math.min(ringSize / 8, 128 << 10);
    }

    /** What the length of the longest record says, whatever its kind. */
    static int maxLength(int ringSize) {
        return maxRecord(ringSize) - 32;
    }

    /**
     * Control and body bytes of the longest frame: even if all were control data, a block could be described beside
     * them.
     */
    static int maxFrame(int ringSize) {
        return maxLength(ringSize) - BLOCK_WORDS;
    }
}
