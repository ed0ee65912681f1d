package io.weir.transport.loop;

import io.weir.core.Waiting;

/**
 * When a loop looks at its sockets and when it comes to rest. Counts turns, so that the clock, which costs as much as a
 * few polls of an empty ring, is read once in many. Loop thread only.
 */
final class Pace {

    /** Idle turns between two looks at the clock: 24 ns for the clock make 1.5 ns a turn. A busy turn counts for more. */
    private static final int TURNS = 16;

    private static final int BUSY_TURN = 4;

    /** Sockets are looked at in this time when rings are busy: 190 ns each time, so about 1 % of a processor. */
    private static final long SOCKETS_NANOS = 20_000;

    /** After this time without work the rings are at rest, and sockets are looked at whenever the clock is. */
    private static final long QUIET_NANOS = 5_000;

    /** How often the processor is offered to others before sleeping: a peer that waits for it may have work for us soon. */
    private static final int YIELDS = 3;

    private final long spinNanos;

    private int turns;
    private boolean looked;
    private long now = System.nanoTime();
    private long socketsAt = now;
    private boolean idle;
    private long idleSince;
    private int yields;

    Pace(Waiting waiting) {
        spinNanos = waiting.spin().toNanos();
    }

    /** A turn has begun, and this much was polled in it. */
    void turn(int polled) {
        turns += polled == 0 ? 1 : BUSY_TURN + (polled >> 3);
        looked = turns >= TURNS;
        if (looked) {
            turns = 0;
            now = System.nanoTime();
        }
    }

    /** Whether sockets should be looked at in this turn, although there are rings that want to be polled. */
    boolean socketsDue() {
        if (!looked) {
            return false;
        }
        boolean quiet = idle && now - idleSince >= QUIET_NANOS;
        if (!quiet && now - socketsAt < SOCKETS_NANOS) {
            return false;
        }
        socketsAt = now;
        return true;
    }

    void worked() {
        idle = false;
        yields = 0;
    }

    /** There was no work in this turn. Whether it is time to sleep. */
    @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on the yield: it only helps whoever else is ready to run.
    boolean restDue() {
        if (spinNanos == 0) {
            return true;
        }
        if (!looked) {
            return false;
        }
        if (!idle) {
            idle = true;
            idleSince = now;
            return false;
        }
        if (now - idleSince < spinNanos) {
            return false;
        }
        if (yields < YIELDS) {
            yields++;
            Thread.yield();
            return false;
        }
        return true;
    }
}
