package io.weir.transport.p4sock;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Which fragments of one connection have come, and what has come too early or that nobody wants yet. Fragments have
 * whole numbers, as in {@link SendQueue}. Belongs to the loop's thread.
 */
final class ReceiveQueue {

    /** Ranges that one acknowledgement tells of at most. */
    static final int RANGES = 32;

    private final ByteBufAllocator allocator;
    private final int window;
    private final int mask;
    private final @Nullable ByteBuf[] early;
    /** A bit for each fragment that has come early, and one for the last of a message. */
    private final long[] come;

    private final long[] lasts;

    /** The next one in order. */
    private long next;
    /** Behind the last one that has come. */
    private long highest;

    private int count;

    /** @param window how many fragments the other side may send before it hears from us */
    ReceiveQueue(int window, ByteBufAllocator allocator) {
        this.allocator = allocator;
        this.window = window;
        // One more than the window: a probe.
        int size = Math.max(Long.SIZE, Integer.highestOneBit(2 * (window + 1) - 1));
        this.mask = size - 1;
        this.early = new ByteBuf[size];
        this.come = new long[size / Long.SIZE];
        this.lasts = new long[size / Long.SIZE];
        begin(FrameFormat.FIRST);
    }

    /** The other side begins with this number. */
    void begin(long first) {
        next = first;
        highest = first;
    }

    /** The number of the next fragment in order. */
    long next() {
        return next;
    }

    /** The last fragment that the other side may send. */
    long windowEnd() {
        return next - 1 + window;
    }

    /** The fragment {@link #next} was delivered without having been kept here. */
    void delivered() {
        next++;
        highest = Math.max(highest, next);
    }

    /** Whether there are some that came too early. */
    boolean hasEarly() {
        return count > 0;
    }

    /** Whether this has come before, or is too far ahead to be kept. */
    boolean isUseless(long number) {
        return number < next || number >= next + early.length || isSet(come, number);
    }

    /** Keeps a copy of what is not useless. */
    void keep(long number, ByteBuffer frame, int from, int length, boolean last) {
        ByteBuf copy = allocator.directBuffer(Math.max(1, length));
        copy.writeBytes(frame.slice(from, length));
        early[(int) number & mask] = copy;
        set(come, number);
        if (last) {
            set(lasts, number);
        }
        count++;
        highest = Math.max(highest, number + 1);
    }

    /** Whether {@link #next} lies here. */
    boolean hasNext() {
        return count > 0 && isSet(come, next);
    }

    boolean isNextLast() {
        return isSet(lasts, next);
    }

    /** Takes {@link #next}, which belongs to the caller then. */
    ByteBuf takeNext() {
        int index = (int) next & mask;
        ByteBuf taken = early[index];
        if (taken == null) {
            throw new IllegalStateException("fragment " + next + " is not here");
        }
        early[index] = null;
        clear(come, next);
        clear(lasts, next);
        count--;
        next++;
        return taken;
    }

    /** Writes the ranges that have come early, the first and the last number of each. Returns how many there are. */
    int ranges(ByteBuffer into, int at) {
        int found = 0;
        long number = next;
        while (found < RANGES && number < highest) {
            long from = nextSet(number, highest);
            if (from == highest) {
                break;
            }
            long to = nextClear(from, highest);
            FrameFormat.number(into, at + found * FrameFormat.RANGE_BYTES, from);
            FrameFormat.number(into, at + found * FrameFormat.RANGE_BYTES + Short.BYTES, to - 1);
            found++;
            number = to;
        }
        return found;
    }

    private long nextSet(long from, long limit) {
        long number = from;
        while (number < limit) {
            long word = come[word(number)] >>> number;
            if (word != 0) {
                return Math.min(limit, number + Long.numberOfTrailingZeros(word));
            }
            number = (number | (Long.SIZE - 1)) + 1;
        }
        return limit;
    }

    private long nextClear(long from, long limit) {
        long number = from;
        while (number < limit) {
            long word = ~come[word(number)] >>> number;
            if (word != 0) {
                return Math.min(limit, number + Long.numberOfTrailingZeros(word));
            }
            number = (number | (Long.SIZE - 1)) + 1;
        }
        return limit;
    }

    private int word(long number) {
        return ((int) number & mask) >> 6;
    }

    private boolean isSet(long[] bits, long number) {
        return (bits[word(number)] >>> number & 1) != 0;
    }

    private void set(long[] bits, long number) {
        bits[word(number)] |= 1L << number;
    }

    private void clear(long[] bits, long number) {
        bits[word(number)] &= ~(1L << number);
    }

    /** Lets go of all that is here. */
    void release() {
        for (int i = 0; i < early.length; i++) {
            ByteBuf each = early[i];
            early[i] = null;
            if (each != null) {
                each.release();
            }
        }
        count = 0;
    }
}
