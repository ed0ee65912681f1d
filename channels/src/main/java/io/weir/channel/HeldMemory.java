package io.weir.channel;

import io.weir.core.Overloaded;
import io.weir.core.Repeat;
import io.weir.core.ValueMemory;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;

/**
 * The memory of what a peer has sent and this node has decoded, for as long as somebody works with it. Any thread may
 * release it; one at a time decodes.
 */
public final class HeldMemory implements ValueMemory {

    /** Is taken at once, so that a long value does not ask for each of its parts. */
    private static final long PORTION = 64 << 10;

    private final MemoryAccount.Share share;
    private final MemoryUse use;
    /** What the account has already, with the message. */
    private long covered;
    /** What is taken beside that. */
    private long taken;
    /** How much of both is not used. */
    private long left;

    /** How much may be used before the account knows. */
    private long moment;
    /** What was used of that. */
    private long owed;

    private int holders = 1;

    /** @param covered bytes that the account has already */
    HeldMemory(MemoryAccount.Share share, MemoryUse use, long covered) {
        this(share, use, covered, 0);
    }

    /**
     * For a value that is most often let go in the same turn of the loop, so that there is only one such at a time.
     *
     * @param covered bytes that the account has already
     * @param moment bytes that may be used before the account knows, until {@link #settle}
     */
    HeldMemory(MemoryAccount.Share share, MemoryUse use, long covered, long moment) {
        this.share = share;
        this.use = use;
        this.covered = covered;
        this.left = covered;
        this.moment = moment;
    }

    /** Without the lock where the account is not asked: what is left is known to who decodes only. */
    @Override
    public void use(long bytes) {
        if (bytes > left) {
            long missing = bytes - left;
            if (owed + missing <= moment) {
                owed += missing;
                left = bytes;
            } else {
                take(missing);
            }
        }
        left -= bytes;
    }

    /** The value is held beyond this moment: what it took without asking is in the account from now on. */
    public void settle() {
        moment = 0;
        if (owed > 0) {
            add(owed);
            owed = 0;
        }
    }

    private synchronized void add(long bytes) {
        share.take(use, bytes);
        taken += bytes;
    }

    private synchronized void take(long bytes) {
        long portion = Math.max(bytes, taken == 0 ? 0 : PORTION);
        if (portion > bytes && share.tryTake(use, portion)) {
            bytes = portion;
        } else if (!share.tryTake(use, bytes)) {
            throw new Overloaded(
                    "there is no memory for a value that takes more than " + (covered + taken)
                            + " bytes: send less at once, or give the node more (weir.memory.max)",
                    null,
                    Repeat.IDEMPOTENT);
        }
        taken += bytes;
        left += bytes;
    }

    /** Whether the peer keeps no more than it may, apart from this. */
    public synchronized boolean mayBegin() {
        return share.isWithin(covered + taken);
    }

    /** What is taken beside what the account had before. */
    public synchronized long taken() {
        return taken;
    }

    /** Whether nothing was taken, so that there is nothing to be released. For who decodes, before others hold it. */
    public boolean isEmpty() {
        return taken == 0;
    }

    /** What the account had before is given back, and the value goes on to be held: it counts here from now on. */
    public synchronized void uncover() {
        if (holders > 0) {
            share.take(use, covered);
            taken += covered;
            covered = 0;
        }
    }

    /** One more holds it, and releases it as well. */
    public synchronized void retain() {
        holders++;
    }

    /** One holds it no longer. It is given back when nobody does. */
    public void release() {
        long all;
        synchronized (this) {
            if (--holders != 0) {
                return;
            }
            all = taken;
            taken = 0;
        }
        share.give(use, all);
    }
}
