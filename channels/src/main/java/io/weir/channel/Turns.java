package io.weir.channel;

import io.weir.core.Lendable;
import io.weir.core.Loop;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Turns of a loop that a thread takes itself while it would only wait for them: handing something over to another
 * thread takes longer than most of what is waited for. A turn is taken where the loop itself has nothing to do, and
 * over paths that allow it, shared memory; what comes for others than {@link Channel#turns lent} channels is left to
 * the loop. Any thread that is no loop's; one at a time has turns, others are refused.
 */
public final class Turns {

    /**
     * Looks between two looks at the clock. Then others may have the processor: one of them may be the peer, and if
     * nobody wants it, that costs no more than the looks do.
     */
    private static final int LOOKS = 16;

    /** The session whose loop is taken. */
    interface Lender {

        Loop loop();

        /** Whether it is of any use to borrow the loop. Any thread. */
        boolean isOverLendable();

        /**
         * The link, if who has borrowed the loop may send and receive over it: nothing else waits for it, nor is about
         * to change, so that only what the borrower brings and what comes for its channels is handled.
         */
        @Nullable
        Lendable lendable();

        /** Whether the frames of this channel may be handled by who has borrowed the loop. */
        boolean isLent(int number);

        /** The loop is, or is no longer, with somebody who must not touch what goes over sockets. */
        void borrowed(boolean whether);

        /** Something has failed halfway: nothing more is taken, and the loss of its link is the end. */
        void doom();
    }

    private final Lender session;
    private final Loop loop;
    private final IntPredicate channels;

    Turns(Lender session) {
        this.session = session;
        this.loop = session.loop();
        this.channels = session::isLent;
    }

    /**
     * Runs a step on the loop, now, with what it sends on its way afterwards.
     *
     * @return false if the loop can't be had now, and nothing was run
     */
    public boolean tryRun(Runnable step) {
        Lendable link = borrow();
        if (link == null) {
            return false;
        }
        boolean rests = false;
        try {
            step.run();
            loop.endTurn();
            rests = link.asleep();
        } catch (Throwable t) {
            failed(link, t);
        } finally {
            giveBack(!rests);
        }
        return true;
    }

    /**
     * Takes turns until the condition holds, which is asked on the loop, or the time is over, or the loop is wanted for
     * something else.
     *
     * @return whether the condition holds
     */
    public boolean lookFor(BooleanSupplier condition, long nanos) {
        Lendable link = borrow();
        if (link == null) {
            return false;
        }
        boolean met = false;
        boolean rests = false;
        try {
            link.awake();
            met = look(link, condition, nanos);
            rests = link.asleep();
        } catch (Throwable t) {
            failed(link, t);
        } finally {
            giveBack(!rests);
        }
        return met;
    }

    /**
     * The stack is the user's, and may have been too deep: what was done may be half done, and the session ends by it.
     */
    private void failed(Lendable link, Throwable failure) {
        session.doom();
        link.failed(failure);
    }

    private @Nullable Lendable borrow() {
        if (!session.isOverLendable() || !loop.tryBorrow()) {
            return null;
        }
        Lendable link = null;
        try {
            link = session.lendable();
        } finally {
            if (link == null) {
                loop.giveBack(false);
            } else {
                session.borrowed(true);
            }
        }
        return link;
    }

    private void giveBack(boolean recall) {
        session.borrowed(false);
        loop.giveBack(recall);
    }

    @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on who gets the processor next.
    private boolean look(Lendable link, BooleanSupplier condition, long nanos) {
        long begun = System.nanoTime();
        for (int looks = 1; !condition.getAsBoolean(); looks++) {
            int found = link.pollLent(channels);
            loop.endTurn();
            boolean inVain = looks % LOOKS == 0;
            if (found == Lendable.RECALL
                    || loop.isWanted()
                    || session.lendable() != link
                    || ((found > 0 || inVain) && System.nanoTime() - begun >= nanos)) {
                return condition.getAsBoolean();
            }
            if (inVain) {
                Thread.yield();
            }
        }
        return true;
    }
}
