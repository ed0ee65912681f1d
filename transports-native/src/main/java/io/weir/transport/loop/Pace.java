package io.weir.transport.loop;

import io.weir.core.Waiting;
import java.util.function.LongSupplier;

/**
 * When a loop looks at its sockets and when it comes to rest. Counts turns, so that the clock, which costs as much as a
 * few polls of an empty ring, is read once in many. Loop thread only.
 */
final class Pace {

    /**
     * Idle turns between two looks at the clock: 24 ns for the clock make 1.5 ns a turn. A busy turn counts for more.
     */
    private static final int TURNS = 16;

    private static final int BUSY_TURN = 4;

    /** Sockets are looked at in this time when rings are busy: 190 ns each time, so about 1 % of a processor. */
    private static final long SOCKETS_NANOS = 20_000;

    /**
     * After this time without work the rings are at rest: sockets are looked at whenever the clock is, and the
     * processor is offered to others, one of which may be the peer.
     */
    private static final long QUIET_NANOS = 5_000;

    /**
     * Whoever slept so shortly would have found what woke it by looking; it was not even a processor that had to wake
     * up.
     */
    private static final long NAP_NANOS = 5_000;

    /** So many times in a row looking for work must have been in vain before the loop sleeps at once instead. */
    private static final int PATIENCE = 3;

    /** Then it sleeps at once this often, as a power of two, until it tries again. */
    private static final int LONGEST_BREAK = 8;

    /** Longer between two looks at the clock, and whoever waits for this loop notices. */
    private static final long STALL_NANOS = 10_000_000;

    /** Stalls of this length are worth a warning: shorter ones are also what a machine with too few processors does. */
    private static final long LONG_STALL_NANOS = 100_000_000;

    /** So many of them make a warning; a few are always there, when classes are loaded. */
    private static final int MANY_LONG_STALLS = 10;

    /** Stalls are warned of so often at most. */
    private static final long WARNING_NANOS = 60_000_000_000L;

    private final long spinNanos;
    /** Whether it ever does. */
    private final boolean sleeps;

    private final LongSupplier clock;

    private int turns;
    private boolean looked;
    private long now;
    private long socketsAt;
    /** The loop looks for work, in vain so far; since when is known from the next look at the clock on. */
    private boolean idle;

    private boolean timed;
    private long idleSince;
    /** How often in a row that was in vain, and so how often the loop sleeps at once from now on. */
    private int inVain;

    private volatile long stalls;
    private int longStalls;
    private long longestStall;
    private long warnedAt;

    private int rests;
    private boolean resting;
    private long restedAt;
    private long slept;

    /**
     * Begins at work.
     *
     * @param clock in nanoseconds, from any origin
     */
    Pace(Waiting waiting, LongSupplier clock) {
        this.spinNanos = waiting.spin().toNanos();
        this.sleeps = waiting != Waiting.LATENCY;
        this.clock = clock;
        this.now = clock.getAsLong();
        this.socketsAt = now;
        this.warnedAt = now - WARNING_NANOS;
    }

    /** A turn has begun, and this much was polled in it. */
    void turn(int polled) {
        turns += polled == 0 ? 1 : BUSY_TURN + (polled >> 3);
        looked = turns >= TURNS;
        if (looked) {
            turns = 0;
            look();
        }
    }

    private void look() {
        long before = now;
        now = clock.getAsLong();
        long gap = now - before;
        if (gap >= STALL_NANOS) {
            stalled(gap);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes it.
    private void stalled(long nanos) {
        stalls++;
        if (nanos >= LONG_STALL_NANOS) {
            longStalls++;
        }
        longestStall = Math.max(longestStall, nanos);
    }

    /** How often 10 ms or more passed between two looks at the clock without a rest. Any thread may ask. */
    long stalls() {
        return stalls;
    }

    /** The longest stall in nanoseconds since the last warning, if it is time for another one; else 0. */
    long stallToWarnOf() {
        long longest = longestStall;
        if (longStalls < MANY_LONG_STALLS || now - warnedAt < WARNING_NANOS) {
            return 0;
        }
        warnedAt = now;
        longStalls = 0;
        longestStall = 0;
        return longest;
    }

    /** Whether sockets should be looked at in this turn, although there are rings that want to be polled. */
    boolean socketsDue() {
        if (!looked) {
            return false;
        }
        boolean quiet = timed && now - idleSince >= QUIET_NANOS;
        if (!quiet && now - socketsAt < SOCKETS_NANOS) {
            return false;
        }
        socketsAt = now;
        return true;
    }

    /** What the clock has shown when it was last looked at. */
    long now() {
        return now;
    }

    /** Whether others should get the processor before the next look. */
    boolean yieldDue() {
        return looked && timed && sleeps && now - idleSince >= QUIET_NANOS;
    }

    /** Others may have had the processor; that was no stall, as there was nothing to do. */
    void yielded() {
        now = clock.getAsLong();
    }

    void worked() {
        if (idle) {
            looking(false);
            inVain = 0;
        }
    }

    private void looking(boolean whether) {
        idle = whether;
        timed = false;
    }

    /**
     * There was no work in this turn. Whether it is time to sleep: when nothing came while the loop looked for as long
     * as it may; or at once, when that has been in vain lately, as it is for answers that take longer: looking would
     * only keep the processor from whoever makes them.
     */
    boolean restDue() {
        if (spinNanos == 0) {
            return true;
        }
        if (!idle) {
            if (rests > 0) {
                rests--;
                return true;
            }
            looking(true);
        }
        return looked && isInVain();
    }

    private boolean isInVain() {
        if (!timed) {
            timed = true;
            idleSince = now;
        }
        if (now - idleSince < spinNanos) {
            return false;
        }
        looking(false);
        inVain++;
        if (inVain >= PATIENCE) {
            rests = 1 << Math.min(inVain, LONGEST_BREAK);
        }
        return true;
    }

    /** The loop rests though it might look on: it has not looked in vain. */
    void restsEarly() {
        looking(false);
    }

    /** The loop falls asleep. */
    void resting() {
        look();
        restedAt = now;
        resting = true;
    }

    /** Something has woken the loop, and is about to be handled before {@link #rested}. */
    void woken() {
        if (resting) {
            resting = false;
            now = clock.getAsLong();
            slept = now - restedAt;
        }
    }

    /** The loop is awake again. If it hardly slept, looking would have found what woke it. */
    void rested() {
        if (resting) {
            woken();
        } else {
            look();
        }
        socketsAt = now;
        if (spinNanos > 0 && slept < NAP_NANOS) {
            inVain = 0;
            rests = 0;
        }
    }
}
