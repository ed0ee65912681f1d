package io.weir.path;

import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;

/**
 * Memory of one session for what may have to be sent again. What links keep has a bound from the beginning: as much as
 * it should be, or as there is memory for. What a lost link has given back is taken of the account as it comes. Loop
 * thread only.
 */
public final class Retained {

    /** What a frame takes that waits, beside its body. */
    private static final int FRAME = 160;

    /** Longer bodies stay where they are, in memory that is counted there. */
    private static final int COPIED = 4 << 10;

    /** Is taken at once. */
    private static final int PORTION = 64 << 10;

    private final MemoryAccount.Share memory;
    private final long least;
    private final long most;
    /** For what links keep; 0 before that is wanted, and at the end. */
    private long bytes;
    /** For frames that were given back. */
    private long taken;

    private long used;
    private boolean ended;

    /** @param most weir.memory.resume, in bytes */
    public Retained(MemoryAccount.Share memory, long most) {
        this.memory = memory;
        this.most = most;
        this.least = Math.min(most, MemoryAccount.UNCONFIRMED);
    }

    /** How much links may keep. Takes it from the account when it is called first. */
    long bytes() {
        if (bytes == 0 && !ended) {
            bytes = memory.takeSome(MemoryUse.UNCONFIRMED, least, most);
            if (bytes == 0) {
                memory.take(MemoryUse.UNCONFIRMED, least);
                bytes = least;
            }
        }
        return bytes;
    }

    /** Whether there is memory for a frame that a link has given back, with a body of this length. */
    boolean mayKeep(int body) {
        used += FRAME + Math.min(body, COPIED);
        if (used > bytes + taken) {
            if (ended || !memory.takeOfIdentity(MemoryUse.UNCONFIRMED, PORTION)) {
                return false;
            }
            taken += PORTION;
        }
        return true;
    }

    /** None of these frames waits any more. */
    void keepsNone() {
        memory.give(MemoryUse.UNCONFIRMED, taken, taken);
        taken = 0;
        used = 0;
    }

    /** Gives back everything. */
    void end() {
        if (!ended) {
            ended = true;
            keepsNone();
            memory.give(MemoryUse.UNCONFIRMED, bytes, Math.max(0, bytes - least));
            bytes = 0;
        }
    }
}
