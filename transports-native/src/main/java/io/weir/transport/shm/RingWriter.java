package io.weir.transport.shm;

import static io.weir.transport.shm.SegmentLayout.LONGS;

import io.weir.core.FrameLayout;
import io.weir.core.ProtocolMismatch;
import java.nio.ByteBuffer;

/**
 * The sender's end of a ring. Belongs to the loop's thread.
 *
 * <p>One record: {@link #claim}, write everything but its first word, {@link #commit}. A run of records becomes visible
 * with the first word of its first one, so that the receiver does not fetch cache lines which are still being written;
 * {@link #publish} ends the run. The first record of a turn is a run of its own and visible at once, as it often is all
 * that the turn brings: a round trip takes a tenth less.
 */
final class RingWriter {

    /**
     * The run behind the first record of a turn is cut here, so that the receiver works while we write: a few times
     * what moves at once.
     */
    private static final int RUN = 1024;

    /**
     * Each further run of the turn is twice as long, up to this: where much is sent, the receiver's processor fetches
     * lines beyond the run's end, which are being written, less often.
     */
    private static final int LONGEST_RUN = 8 << 10;

    /**
     * How far beyond the next place lines are made ours ahead of time, by zeroing their first words. Near enough that
     * this is soon used, too far away for the receiver's processor to fetch these lines on suspicion: a round trip of
     * short messages takes a quarter less. Longer ones gain nothing.
     */
    private static final int AHEAD = 8 * RecordLayout.LINE;

    private static final int SHORT = 4 * RecordLayout.LINE;

    /** Left free where the memory ends before the ring does: for a padding up to the ring's end, or a goodbye. */
    private static final int BEFORE_END = 2 * RecordLayout.LINE;

    /** Who fills the memory so fast needs more; others would fill it once in a while for nothing. */
    private static final long FAST_NANOS = 100_000_000;

    private final int ring;
    private final int size;
    private final int mask;
    private final Runnable wantsMemory;
    private ByteBuffer memory;

    /** How far into the ring records may reach, as what is behind has no memory; the ring's size if all has. */
    private int end;

    private long roundBegan = System.nanoTime();

    /** Where the next record goes, in bytes since the beginning. */
    private long position;
    /** How far the receiver had read when we last looked. */
    private long read;
    /** The first words of all lines from {@link #position} up to here are zero. */
    private long zeroed = RecordLayout.LINE;
    /** What is claimed: the padding in front of the record. */
    private int padding;

    /** Where the run begins that is not visible yet, and the word that makes it visible; zero if there is none. */
    private int runIndex;

    private long runWord;
    private long runPosition;
    private int runLength = RUN;
    /** The next record is the first one of its turn. */
    private boolean first = true;

    RingWriter(Segment segment) {
        this(segment, segment.layout().ringSize(), () -> {});
    }

    /**
     * A ring of which only the beginning has memory.
     *
     * @param bytes of it that have memory, of which the longest record needs less than half
     * @param wantsMemory called when there should be more, perhaps often; what follows is a call of {@link #grown}
     */
    RingWriter(Segment segment, int bytes, Runnable wantsMemory) {
        this.wantsMemory = wantsMemory;
        this.memory = segment.mapping().memory();
        this.ring = segment.layout().ring();
        this.size = segment.layout().ringSize();
        this.mask = size - 1;
        grown(bytes);
    }

    /** So many bytes of the ring have memory now. */
    void grown(int bytes) {
        end = bytes == size ? size : bytes - BEFORE_END;
    }

    /** Up to where there are records, in bytes since the beginning. */
    long position() {
        return position;
    }

    /**
     * How far the receiver says that it has read, for whoever is about to read what lies there.
     *
     * @throws ProtocolMismatch if that is impossible, as it also is where there is no memory
     */
    long readPosition() {
        long now = look();
        int at = (int) now & mask;
        if (at > end) {
            throw new ProtocolMismatch("the peer says it has read up to the byte " + at
                    + " of the shared ring, where nothing has been written");
        }
        return now;
    }

    /** Where records are written. */
    ByteBuffer memory() {
        return memory;
    }

    /** Whether a record of this many bytes would be taken now. */
    boolean hasRoom(int bytes) {
        return room(paddingBefore(bytes) + bytes);
    }

    /**
     * Reserves a record of this many bytes, a multiple of 8.
     *
     * @return its index in the memory, or -1 if there is no room now
     * @throws ProtocolMismatch if the receiver's position is impossible
     */
    int claim(int bytes) {
        int before = paddingBefore(bytes);
        if (!room(before + bytes)) {
            if (end != size) {
                wantsMemory.run();
            }
            return -1;
        }
        padding = before;
        return before == 0 ? index(position) : ring;
    }

    /** Completes the claimed record with its first word. */
    void commit(int index, long word, int bytes) {
        if (padding != 0) {
            pad(padding);
        }
        chain(index, word);
        position += bytes;
        if (first) {
            first = false;
            publish();
        } else if (position - runPosition >= runLength) {
            publish();
            runLength = Math.min(2 * runLength, LONGEST_RUN);
        }
        if (padding != 0 && end != size) {
            // Last of all, as it leads to others: the record is complete, whatever happens there.
            roundEnds();
        }
    }

    private void roundEnds() {
        long now = System.nanoTime();
        if (now - roundBegan < FAST_NANOS) {
            wantsMemory.run();
        }
        roundBegan = now;
    }

    private void pad(int bytes) {
        chain(index(position), FrameLayout.word0(0, RecordLayout.PADDING, 0, bytes));
        position += bytes;
    }

    private void chain(int index, long word) {
        if (runWord == 0) {
            runIndex = index;
            runWord = word;
            runPosition = position;
        } else {
            LONGS.set(memory, index, word);
        }
    }

    /** Makes everything that was committed visible to the receiver. */
    void publish() {
        if (runWord == 0) {
            return;
        }
        int toLine = (int) -position & (RecordLayout.LINE - 1);
        if (toLine != 0) {
            pad(toLine);
        }
        if (zeroed <= position) {
            LONGS.set(memory, index(position), 0L);
            zeroed = position + RecordLayout.LINE;
        }
        LONGS.setRelease(memory, runIndex, runWord);
        runWord = 0;
        if (position - runPosition <= SHORT) {
            zeroAhead();
        }
    }

    /** As {@link #publish}, at the end of a turn. */
    void publishLast() {
        publish();
        runLength = RUN;
        first = true;
    }

    private void zeroAhead() {
        // What was not read yet must not be touched, nor what has no memory.
        int toEnd = end - ((int) position & mask);
        long until = Math.min(position + Math.min(AHEAD, toEnd), read + size - RecordLayout.LINE);
        for (; zeroed <= until; zeroed += RecordLayout.LINE) {
            LONGS.set(memory, index(zeroed), 0L);
        }
    }

    /** Tells the receiver that nothing follows. There is always room for that. */
    void goodbye() {
        publish();
        LONGS.set(memory, index(position + RecordLayout.LINE), 0L);
        LONGS.setRelease(memory, index(position), FrameLayout.word0(0, RecordLayout.GOODBYE, 0, 0));
    }

    /**
     * Whether the receiver must be woken to see what was published; sure only behind a full fence. Asks for no wake-up
     * twice.
     */
    boolean receiverSleeps() {
        return Flag.take(memory, SegmentLayout.RECEIVER_SLEEPS);
    }

    /** Says whether we want to be woken when the receiver makes room. */
    void waits(boolean waits) {
        Flag.set(memory, SegmentLayout.SENDER_WAITS, waits);
    }

    /** Gives up the way to the memory: what is called after this fails, without touching anything. */
    void end(ByteBuffer nothing) {
        memory = nothing;
    }

    private int index(long position) {
        return ring + ((int) position & mask);
    }

    private int paddingBefore(int bytes) {
        int at = (int) position & mask;
        return bytes > end - at ? size - at : 0;
    }

    private boolean room(int bytes) {
        long end = position + bytes + RecordLayout.RESERVE - size;
        return end <= read || end <= look();
    }

    private long look() {
        long now = (long) LONGS.getAcquire(memory, SegmentLayout.READ_POSITION);
        if (now < read || now > position || (now & 7) != 0) {
            throw new ProtocolMismatch("the peer says it has read up to " + now + " in the shared ring, where between "
                    + read + " and " + position + " is possible");
        }
        read = now;
        return now;
    }
}
