package io.weir.channel;

import io.weir.core.Loop;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What sources have emitted into all channels of one session and waits for the peer's credit and for the link, and the
 * node's memory for it. Sources are asked for more as far as there is some: a peer that takes nothing stops them,
 * however many channels it has. Loop thread only.
 */
final class Backlog {

    /** What a message takes while it waits, besides its bytes. */
    static final int MESSAGE = 192;

    /**
     * What a message counts at most among what waits, when it waits for credit: others go on meanwhile. What is beyond
     * that counts apart, see {@link #stalls}.
     */
    static final int STALLED = 4 << 10;

    /** Bytes of a message that has to be in the account as a whole before it is asked for. */
    static final int LONG = 16 << 10;

    /** So much may wait whatever the account says: it is a part of what a connection counts with. */
    private static final long FREE = MemoryAccount.PEER;

    /** What is taken from the account at once, and stays once it was needed. */
    private static final long STEP = 256 << 10;

    /** The same where it is about one message. */
    private static final long SMALL_STEP = 64 << 10;

    private static final Duration LOOK = Duration.ofMillis(100);

    /** The half of a channel in which messages wait: for memory, or for credit. */
    interface Waiting {

        /** There may be memory again. */
        void roomAgain();
    }

    private final Loop loop;
    private final MemoryAccount.Share memory;
    private final IntSupplier channels;
    private final Runnable drainLater;
    /** Those that did not ask for more, as there was no memory. */
    private final LinkedHashSet<Waiting> waiting = new LinkedHashSet<>();

    private long held;
    private long taken;

    /** Whose message is the longest of those that wait for credit, as far as it is known. It is not in the account. */
    private @Nullable Waiting longest;

    private long longestBytes;

    /** What all others take. */
    private long stalled;

    /** Much more waits for the link than there was memory for. */
    private boolean beyond;

    private boolean ended;

    private boolean waking;
    private boolean looks;

    /**
     * @param channels how many share what there is
     * @param drainLater has {@link #drained} called when the turn ends, or when the link has room again
     */
    Backlog(Loop loop, MemoryAccount.Share memory, IntSupplier channels, Runnable drainLater) {
        this.loop = loop;
        this.memory = memory;
        this.channels = channels;
        this.drainLater = drainLater;
    }

    /** Counts what waits from now on, or does so no longer. */
    void add(long bytes) {
        held += bytes;
        beyond(room() < -LONG);
        if (bytes < 0 && !waiting.isEmpty()) {
            drainLater.run();
        }
    }

    /**
     * Counts what a long message takes that waits for credit. It is there already, and so the account has it in any
     * case. A peer whose subscriber does not take one of them must not stand still for that, so one is free; but when
     * with the others nothing extra is left for it, nothing more is asked for until some of them have gone.
     */
    void stalls(Waiting half, long before, long now) {
        long more = 0;
        if (half == longest) {
            longest = null;
            longestBytes = 0;
        } else {
            more -= before;
        }
        if (now > longestBytes) {
            more += longestBytes;
            longest = half;
            longestBytes = now;
        } else {
            more += now;
        }
        stalled += more;
        if (more > 0) {
            memory.takeExtra(MemoryUse.OUTGOING, more);
        } else {
            memory.give(MemoryUse.OUTGOING, -more, -more);
        }
        if (more < 0 && !waiting.isEmpty()) {
            drainLater.run();
        }
    }

    /** Whether long messages that wait for credit take all that there is for what waits. */
    private boolean isBlocked() {
        return stalled > STEP && !memory.hasExtra();
    }

    private long room() {
        return FREE + taken - held;
    }

    /**
     * How many bytes one channel may ask its source for, of those that it wants: its part of what all of them may have.
     */
    long share(long wanted) {
        if (isBlocked()) {
            return 0;
        }
        int sharing = Math.max(1, channels.getAsInt());
        if (room() / sharing < wanted && taken < STEP) {
            taken += memory.takeSome(MemoryUse.OUTGOING, 0, STEP);
        }
        return room() / sharing;
    }

    /**
     * Whether a channel in which nothing waits may ask for one message: so channels that wait for credit do not stop
     * others.
     */
    boolean admits() {
        if (isBlocked()) {
            return false;
        }
        while (room() <= 0 && memory.tryTakeExtra(MemoryUse.OUTGOING, SMALL_STEP)) {
            taken += SMALL_STEP;
        }
        return room() > 0;
    }

    /**
     * The same where the message will probably be of this length. What everybody may have once, however long, is too
     * much where many peers take nothing: so for a long one there has to be memory, or else nothing that waits for a
     * link of its identity is beyond what there is. That goes by as peers read, or end. What waits for credit does not
     * count here: two nodes that wait for each other's would stand still.
     */
    boolean admits(long expected) {
        if (!admits()) {
            return false;
        }
        long missing = expected + MESSAGE - room();
        if (expected <= LONG || missing <= 0) {
            return true;
        }
        if (memory.tryTakeExtra(MemoryUse.OUTGOING, missing)) {
            taken += missing;
            return true;
        }
        return !memory.isBeyond();
    }

    private void beyond(boolean now) {
        if (now != beyond && !ended) {
            beyond = now;
            memory.beyond(now);
        }
    }

    /**
     * Whether a message may wait here that a source has emitted later than it was asked for, so that the memory that
     * there was then may be gone. While sources are asked, what they emit may wait. Later it may go beyond the peer's
     * share, but not when there is nothing left for its identity: the node would be out of memory for all.
     *
     * @param cost its bytes
     * @param forCredit it waits for credit, so that it {@link #stalls counts apart}
     */
    boolean mayWait(long cost, boolean forCredit) {
        if (cost <= STALLED) {
            return true;
        }
        if (forCredit) {
            return stalled <= STEP || memory.isForIdentity(cost);
        }
        if (room() > 0) {
            return true;
        }
        long more = Math.max(SMALL_STEP, cost + MESSAGE - room());
        boolean may = memory.takeOfIdentity(MemoryUse.OUTGOING, more);
        taken += may ? more : 0;
        return may;
    }

    /** This half asks for more as soon as there is memory for it. */
    void await(Waiting half) {
        waiting.add(half);
        lookLater();
    }

    /** What other peers give back is not announced. */
    private void lookLater() {
        if (!looks) {
            looks = true;
            var unused = loop.schedule(this::look, LOOK);
        }
    }

    private void look() {
        looks = false;
        drained();
        if (!waiting.isEmpty()) {
            lookLater();
        }
    }

    void forget(Waiting half) {
        waiting.remove(half);
    }

    /** What waited may have been sent: gives memory back, and lets those that wait for some go on. */
    void drained() {
        if (taken > STEP && held < taken / 2) {
            give(taken - STEP);
        }
        if (waiting.isEmpty() || waking) {
            return;
        }
        waking = true;
        try {
            // Each once: those that find no memory wait again.
            for (int left = waiting.size(); left > 0 && !waiting.isEmpty() && admits(); left--) {
                Iterator<Waiting> first = waiting.iterator();
                Waiting next = first.next();
                first.remove();
                next.roomAgain();
            }
        } finally {
            waking = false;
        }
    }

    /** The session is over. */
    void end() {
        give(taken);
        beyond(false);
        ended = true;
        waiting.clear();
    }

    private void give(long bytes) {
        taken -= bytes;
        memory.give(MemoryUse.OUTGOING, bytes, bytes);
    }
}
