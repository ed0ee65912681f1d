package io.weir.path;

import io.weir.core.FrameKind;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.util.ArrayList;
import java.util.List;

/**
 * Over which link each direction of a session goes, and how it gets to another one: a state machine that knows nothing
 * of links, loops and clocks. Its inputs are what happens to links and what the peer says about them; what is to be
 * done it asks of {@link Effects}. The picture of its states is in docs/reliability.md, under "How a session moves".
 *
 * <p>Each direction moves by itself, and stops while it does: who sends says MOVE as the last thing over the old link
 * and goes on over the new one when it has heard MOVED there. The receiver meanwhile has what is under way to read, so
 * it waits for one round trip of the new link only, and never has to put frames in order.
 *
 * <p>When a link is lost, each side sends the other LOST over the bootstrap connection, and where its own frames go
 * now. Frames that were under way are kept until the peer says over the next link, with RESUME, how many have arrived;
 * those behind go once more.
 *
 * <p>A link is named by the number of the attempt that has opened it. The bootstrap connection is {@link #BOOTSTRAP}
 * under whichever number it was chosen last, as it can be chosen more than once.
 */
public final class Moves {

    /** The bootstrap connection, as a link. */
    static final int BOOTSTRAP = 0;

    /** No link. */
    static final int NONE = -1;

    /** In LOST: our frames go over the bootstrap connection, under whichever number. */
    private static final int OVER_BOOTSTRAP = -1;

    /** What the state machine has done by who has the links. */
    interface Effects {

        /** How many frames the peer will have counted when it has everything. */
        long sent();

        /** How many frames of the peer's have come. */
        long received();

        /** Says something about the links over one of them, behind what it has been given. */
        void say(int link, FrameKind kind, int number, long count);

        /** Informs the peer over the bootstrap connection. */
        void sayLost(int number, int goesOver, boolean answers, String reason);

        /** No frame of the session goes out until {@link #sendOver}, or {@link #settle} finds everything clear. */
        void hold();

        /** The frames of the session go over this link from now on. */
        void sendOver(int link);

        /**
         * Keeps what this link may not have delivered, before what has to go once more anyway.
         *
         * @param counts whether what was offered to it belongs to what the peer counts; otherwise it is dropped
         * @return whether that is known
         */
        boolean takeBack(int link, boolean counts);

        /** How many frames are kept. */
        int kept();

        /** All but so many of those that are kept have arrived; the others go once more, over our link. */
        void sendAgain(long missing);

        /** All that is kept has arrived. */
        void dropKept();

        /** Whether something has to go once more before anything else. */
        boolean owes();

        /** Sends that over our link, as far as there is room. */
        void replay();

        /** Whether the link has something to say that waits for room. */
        boolean hasDue(int link);

        /** The link is not used any more. */
        void drop(int link, boolean isOpen);

        /** Whether a loss for this reason is the end. */
        boolean isFatal(WeirException reason);

        /** It can't go on. */
        void over(WeirException reason);

        /** It does not go on, and the peer is to hear it. */
        void abandon(WeirException reason);

        /** A link that was used is lost. Before {@link #settle}. */
        void lost(int link, WeirException reason, boolean wasTarget);

        /** The bootstrap connection is of no use any more. */
        void bootstrapLost(WeirException reason);

        /** The peer's frames wait for a link. */
        void needed();

        /** The peer had given up what was agreed on last. */
        void givenUp();

        /** Something has changed. */
        void changed();
    }

    private final Effects effects;

    /** All that are open but the bootstrap connection, oldest first. */
    private final List<Integer> open;

    /** The attempt that has chosen the bootstrap connection last, and the one before; 0 if none has. */
    private int bootstrapNumber;

    private int formerBootstrapNumber;

    /** The last attempt that both sides have said USE of. */
    private int used;
    /** The link that was agreed on last; none if it is lost. */
    private int target;
    /** Over which our frames go; none if they wait for another one. */
    private int ours;
    /** Over which they shall go as soon as the peer has said MOVED. */
    private int next = NONE;
    /**
     * MOVE is not said yet: what has to go once more goes over our link before it, in the pieces that it was cut into.
     */
    private boolean moveDue;
    /** Our frames wait for the peer's RESUME, or MOVED, over their link. */
    private boolean resumeAwaited;
    /** The attempt over whose link the peer's frames come; none if they wait for our RESUME. */
    private int theirs;
    /** The peer's frames wait for our RESUME. */
    private boolean resumeWanted;
    /** The attempt over whose link we have said RESUME last. */
    private int resumedOver = NONE;
    /** The peer's MOVE has come before the USE of the attempt that it names. */
    private int earlyMove;
    /** There is no bootstrap connection just now, so nothing can be agreed. */
    private boolean away;

    private boolean ended;

    /** Both directions go over the link of this attempt. */
    Moves(int number, boolean overBootstrap, Effects effects) {
        this.effects = effects;
        open = new ArrayList<>(3);
        used = number;
        theirs = number;
        if (overBootstrap) {
            bootstrapNumber = number;
        } else {
            open.add(number);
        }
        target = overBootstrap ? BOOTSTRAP : number;
        ours = target;
    }

    /** The same state with other effects, for who tries what can come of it. */
    Moves(Moves other, Effects effects) {
        this.effects = effects;
        open = new ArrayList<>(other.open);
        bootstrapNumber = other.bootstrapNumber;
        formerBootstrapNumber = other.formerBootstrapNumber;
        used = other.used;
        target = other.target;
        ours = other.ours;
        next = other.next;
        moveDue = other.moveDue;
        resumeAwaited = other.resumeAwaited;
        theirs = other.theirs;
        resumeWanted = other.resumeWanted;
        resumedOver = other.resumedOver;
        earlyMove = other.earlyMove;
        away = other.away;
        ended = other.ended;
    }

    // What others ask.

    /** The link that was agreed on last. */
    int target() {
        return target;
    }

    /** Over which our frames go. */
    int ours() {
        return ours;
    }

    /** Over which they shall go. */
    int next() {
        return next;
    }

    /** The last attempt that both sides have said USE of. */
    int used() {
        return used;
    }

    /** Whether our frames may go. */
    boolean isClear() {
        return ours != NONE && next == NONE && !resumeAwaited && !effects.owes();
    }

    /** Whether both directions go over what was agreed on last. */
    boolean isSettled() {
        return isClear() && !resumeWanted && target == ours && theirs == number(target);
    }

    /** Whether something waits for a link. */
    boolean isSuspended() {
        return ours == NONE || resumeWanted;
    }

    /** Whether the peer's frames come over the bootstrap connection. */
    boolean isHeardOverBootstrap() {
        return theirs == bootstrapNumber;
    }

    /** The attempt over whose link both directions go, without need of the bootstrap connection; 0 if there is none. */
    int settledNumber() {
        return isSettled() && target != BOOTSTRAP ? target : 0;
    }

    /** Every link but the bootstrap connection. */
    List<Integer> others() {
        return List.copyOf(open);
    }

    /** Whether this link is open. */
    boolean isOpen(int link) {
        return link == BOOTSTRAP ? !away : open.contains(link);
    }

    private int number(int link) {
        return link == BOOTSTRAP ? bootstrapNumber : link;
    }

    /** The link of this attempt, if it is open; {@link #NONE} otherwise. */
    private int link(int number) {
        return !away && number == bootstrapNumber ? BOOTSTRAP : open.contains(number) ? number : NONE;
    }

    private boolean uses(int link) {
        return link == ours || link == next || link == target || theirs == number(link);
    }

    // What happens.

    /** Both sides have said USE of this attempt. */
    void opened(int number, boolean overBootstrap) {
        used = number;
        int link = overBootstrap ? BOOTSTRAP : number;
        if (overBootstrap) {
            if (theirs == bootstrapNumber) {
                theirs = number;
            }
            formerBootstrapNumber = bootstrapNumber;
            bootstrapNumber = number;
        } else {
            open.add(number);
        }
        target = link;
        if (resumeWanted) {
            sayResume(link);
        } else if (earlyMove == number) {
            theirs = number;
            effects.say(link, FrameKind.MOVED, number, 0);
        }
        if (ours == NONE) {
            ours = link;
            resumeAwaited = true;
            effects.sendOver(link);
        } else if (ours != link) {
            next = link;
            effects.hold();
            moveDue = true;
        }
    }

    /** The peer's session may have begun with a link that was lost before ours could: it sends again. */
    void beginsAgain() {
        sayResume(target);
    }

    private void sayResume(int link) {
        int number = number(link);
        resumeWanted = false;
        theirs = number;
        resumedOver = number;
        effects.say(link, FrameKind.RESUME, number, effects.received());
    }

    /** The peer's frames come over the link of this attempt now; so many were sent before. */
    void move(int number, long sent) {
        if (sent != effects.received()) {
            throw new ProtocolMismatch("MOVE after " + effects.received() + " frames, where " + sent + " were sent");
        }
        if (target != NONE && number(target) == number && theirs != number) {
            theirs = number;
            effects.say(target, FrameKind.MOVED, number, 0);
            effects.changed();
        } else {
            // The USE of this attempt comes over another link, or the attempt has failed here: then the peer goes on as
            // before.
            earlyMove = number;
        }
    }

    /** The peer has everything that went over the former link. */
    void moved(int number) {
        if (next != NONE && number(next) == number) {
            ours = next;
            next = NONE;
            effects.sendOver(ours);
            effects.changed();
        } else if (resumeAwaited && number(ours) == number) {
            effects.dropKept();
            resumeAwaited = false;
            effects.changed();
        }
    }

    /** The peer goes on over the link of this attempt, and has had so many frames. */
    void resume(int number, long arrived) {
        if (next != NONE && number(next) == number) {
            // The peer has noticed before us that the former link is lost.
            SessionLost reason = new SessionLost("the peer has lost it");
            if (ours == BOOTSTRAP) {
                effects.bootstrapLost(reason);
            } else {
                lost(ours, reason, true);
            }
        }
        if (ended || !resumeAwaited || number(ours) != number) {
            // Late, or from a peer that could not know whether we wait for it.
            return;
        }
        long missing = effects.sent() - arrived;
        if (arrived < 0 || missing < 0) {
            throw new ProtocolMismatch("RESUME after " + arrived + " frames, where " + effects.sent() + " were sent");
        }
        if (missing > effects.kept()) {
            effects.abandon(new SessionLost("a link was lost with " + missing + " frames under way, of which only "
                    + effects.kept() + " can be sent again"));
            return;
        }
        effects.sendAgain(missing);
        resumeAwaited = false;
        effects.changed();
    }

    /** A link other than the bootstrap connection is lost, or has to be given up though it is open. */
    void lost(int link, WeirException reason, boolean isOpen) {
        if (ended || !open.contains(link)) {
            return;
        }
        boolean matters = uses(link);
        if (matters && effects.isFatal(reason)) {
            effects.over(reason);
            return;
        }
        open.remove(Integer.valueOf(link));
        // The peer may close what we have left by MOVE before we receive MOVED: how much it has, it says over the other
        // link.
        boolean keptAll = link != ours || takeBack(link) || next != NONE;
        effects.drop(link, isOpen);
        if (!keptAll) {
            effects.over(reason);
            return;
        }
        if (!matters) {
            return;
        }
        if (link == ours) {
            effects.hold();
            ours = next;
            next = NONE;
            resumeAwaited = ours != NONE;
            if (ours != NONE) {
                effects.sendOver(ours);
            }
        } else if (link == next) {
            next = NONE;
        }
        boolean wasTarget = link == target;
        if (wasTarget) {
            target = ours;
        }
        if (away) {
            // Both sides begin again when they have a bootstrap connection.
            awaitBoth();
        } else {
            sayLost(link, false, Errors.text(reason));
        }
        if (!ended) {
            effects.lost(link, reason, wasTarget);
            effects.changed();
        }
    }

    /**
     * While we wait for RESUME over this link, nothing has been offered to it that counts, but for what it has brought
     * over before it was our link again.
     */
    private boolean takeBack(int link) {
        boolean known = effects.takeBack(link, !resumeAwaited);
        // Who has sent nothing has lost nothing, also over a link that gives nothing back.
        return known || resumeAwaited || effects.sent() == 0;
    }

    /** Informs the peer, and says over which link our frames go now. */
    private void sayLost(int number, boolean answers, String reason) {
        boolean goes = ours != NONE && !resumeAwaited;
        effects.sayLost(number, !goes ? 0 : ours == BOOTSTRAP ? OVER_BOOTSTRAP : ours, answers, reason);
    }

    /** The peer has lost the link of this attempt; its own frames go over that of another one, or over none. */
    void lostThere(int number, long goesOver, boolean answers, SessionLost reason) {
        if (goesOver != (int) goesOver) {
            throw new ProtocolMismatch("LOST names attempt " + goesOver + ", which can't be");
        }
        int link = number == 0 ? NONE : link(number);
        if (link != NONE && link != BOOTSTRAP) {
            lost(link, reason, true);
        } else if (!answers) {
            // It was lost here before, or was given up when the peer had already taken it for good.
            sayLost(number, true, "");
        }
        if (ended || theirs != number) {
            return;
        }
        int back = goesOver == OVER_BOOTSTRAP ? BOOTSTRAP : goesOver == 0 ? NONE : link((int) goesOver);
        if (back != NONE) {
            theirs = number(back);
        } else if (target != NONE && number(target) > number) {
            sayResume(target);
        } else {
            resumeWanted = true;
            effects.needed();
        }
        effects.changed();
    }

    /**
     * The peer had given up the last attempt when our USE came. Another link than the bootstrap connection is closed
     * there, which we shall hear; that one just goes back to what it was. Nothing of the session has gone over it
     * since.
     */
    void givenUpThere() {
        if (bootstrapNumber != used || target != BOOTSTRAP) {
            return;
        }
        if (next == BOOTSTRAP) {
            next = NONE;
        } else if (ours == BOOTSTRAP && resumeAwaited) {
            ours = NONE;
            resumeAwaited = false;
        }
        bootstrapNumber = formerBootstrapNumber;
        if (theirs == used) {
            resumeWanted = resumedOver == used;
            theirs = resumeWanted ? NONE : bootstrapNumber;
        }
        target = ours;
        effects.givenUp();
        effects.changed();
    }

    /**
     * The bootstrap connection is lost, and will be replaced. What goes over another link on both sides goes on; all
     * else waits.
     *
     * @return false if what was under way is lost with it
     */
    boolean goesAway() {
        boolean goesOn = settledNumber() != 0;
        away = true;
        return goesOn || dropAll();
    }

    /**
     * There is a bootstrap connection again.
     *
     * @param goesOn whether the peer has gone on over the same link meanwhile
     * @return false if what was under way is lost
     */
    boolean comesBack(boolean goesOn) {
        boolean keptAll = goesOn || dropAll();
        away = false;
        bootstrapNumber = 0;
        formerBootstrapNumber = 0;
        return keptAll;
    }

    /** Loses every link. What may not have arrived is kept. */
    private boolean dropAll() {
        boolean known = true;
        if (ours != NONE) {
            effects.hold();
            known = takeBack(ours);
        }
        for (int link : others()) {
            open.remove(Integer.valueOf(link));
            effects.drop(link, true);
        }
        awaitBoth();
        return known;
    }

    /** Neither direction has a link. */
    private void awaitBoth() {
        ours = NONE;
        next = NONE;
        target = NONE;
        resumeAwaited = false;
        resumeWanted = true;
        theirs = NONE;
        earlyMove = 0;
    }

    /** Sends what goes once more, says MOVE behind it, and closes what nobody sends over any more. */
    void settle() {
        if (ours != NONE && !resumeAwaited) {
            effects.replay();
        }
        if (moveDue && ours != NONE && next != NONE && !resumeAwaited && !effects.owes()) {
            moveDue = false;
            effects.say(ours, FrameKind.MOVE, number(next), effects.sent());
        }
        for (int link : others()) {
            if (!uses(link) && !effects.hasDue(link)) {
                open.remove(Integer.valueOf(link));
                effects.drop(link, true);
            }
        }
    }

    void end() {
        ended = true;
    }

    /** The whole state, for who compares states or looks for what is wrong. */
    @Override
    public String toString() {
        return "over " + ours + (next == NONE ? "" : " to " + next) + (moveDue ? ", MOVE due" : "")
                + (resumeAwaited ? ", RESUME awaited" : "") + "; agreed " + target + " by " + used + "; theirs "
                + theirs
                + (resumeWanted ? ", RESUME due" : "") + ", resumed over " + resumedOver + ", early MOVE " + earlyMove
                + "; open " + open + ", bootstrap " + formerBootstrapNumber + ", " + bootstrapNumber
                + (away ? " away" : "") + (ended ? "; ended" : "");
    }
}
