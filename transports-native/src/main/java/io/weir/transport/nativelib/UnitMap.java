package io.weir.transport.nativelib;

/**
 * Which units of a pool are taken. First fit: low units, whose memory is warm in the caches, are used again first. Not
 * thread-safe.
 */
public final class UnitMap {

    private static final long ALL = -1L;

    /** A set bit is a taken unit. Bits behind the last unit are set for ever. */
    private final long[] taken;

    private final int units;
    private int free;

    /** All of them free. */
    public UnitMap(int units) {
        this.units = units;
        this.free = units;
        this.taken = new long[(units + 63) / 64];
        if (units % 64 != 0) {
            taken[taken.length - 1] = ALL << units;
        }
    }

    /** How many are free. */
    public int free() {
        return free;
    }

    /** Takes that many neighbouring units. Returns the first, or -1 if there is no such run. */
    public int take(int count) {
        if (count > free) {
            return -1;
        }
        int first = nextFree(0);
        while (first >= 0) {
            int end = nextTaken(first, Math.min(first + count, units));
            if (end == first + count) {
                mark(first, count);
                free -= count;
                return first;
            }
            first = nextFree(end);
        }
        return -1;
    }

    /** Gives back a run that was taken as one. */
    public void give(int first, int count) {
        mark(first, count);
        free += count;
    }

    /** The first free unit from here on, or -1. */
    private int nextFree(int from) {
        if (from >= units) {
            return -1;
        }
        int word = from >> 6;
        long open = ~taken[word] & (ALL << from);
        while (open == 0) {
            if (++word == taken.length) {
                return -1;
            }
            open = ~taken[word];
        }
        return (word << 6) + Long.numberOfTrailingZeros(open);
    }

    /** The first taken unit from here on, at most {@code limit}, which is at most the number of units. */
    private int nextTaken(int from, int limit) {
        int word = from >> 6;
        long closed = taken[word] & (ALL << from);
        while (closed == 0) {
            if (++word << 6 >= limit) {
                return limit;
            }
            closed = taken[word];
        }
        return Math.min(limit, (word << 6) + Long.numberOfTrailingZeros(closed));
    }

    /** Turns these bits round. */
    private void mark(int first, int count) {
        int end = first + count;
        for (int at = first; at < end; ) {
            int inWord = Math.min(64 - (at & 63), end - at);
            long bits = inWord == 64 ? ALL : (1L << inWord) - 1;
            taken[at >> 6] ^= bits << at;
            at += inWord;
        }
    }
}
