package io.weir.channel;

import io.weir.core.Frame;
import io.weir.core.Loop;
import io.weir.core.PeerId;
import io.weir.core.ReusedFrame;
import io.weir.core.ReusedList;
import io.weir.flow.Lanes;
import io.weir.path.LastingLink;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The frames of a session on their way to its link. A frame is offered at once if nothing waits; otherwise whoever has
 * something to send stands in one of the lanes. At the end of a turn the channels that were touched grant credit, then
 * the lanes are emptied as far as the link has room. Loop thread only.
 */
final class Outbox {

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    /** A channel, to which credit may be granted at the end of a turn. */
    interface Granting {

        /** Puts the credit that is due into the lanes. It counts as touched no longer. */
        void grant();

        /** Its place in the list of those touched; -1 if it is not in there. */
        int touchedAt();

        void touchedAt(int place);

        /** Whether something of it may still stand in the lanes. */
        boolean leftInLanes();
    }

    /** So many channels that have ended may stand in the lanes at least, though they have nothing to send. */
    private static final int MOST_OVER_IN_LANES = 64;

    private final PeerId peer;
    private final Loop loop;
    private final LastingLink link;
    private final Lanes<Outgoing> lanes = new Lanes<>();
    private final ReusedFrame frames = new ReusedFrame();
    private final Runnable endOfTurn = this::endOfTurn;
    private final Runnable drained;
    private final Consumer<VirtualMachineError> halfDone;
    private final ReusedList<Granting> touched = new ReusedList<>();

    private boolean turnEndWanted;
    private boolean draining;
    private boolean full;
    private boolean over;

    /** Channels that have ended since the lanes were last looked through, and may still stand there. */
    private int overInLanes;

    /** A channel has ended, and the list of those touched may still hold it. */
    private boolean forgetDue;

    /**
     * @param drained is run after the lanes were emptied as far as the link had room
     * @param halfDone gets the error of the JVM, mostly a lack of memory, that has left something half done
     */
    Outbox(Loop loop, LastingLink link, PeerId peer, Runnable drained, Consumer<VirtualMachineError> halfDone) {
        this.loop = loop;
        this.link = link;
        this.peer = peer;
        this.drained = drained;
        this.halfDone = halfDone;
    }

    Lanes<Outgoing> lanes() {
        return lanes;
    }

    /** To be filled and offered before the next one is asked for. */
    Frame frame() {
        return frames.next();
    }

    /** Whether nothing waits for the link, so that a message may go at once. */
    boolean clear() {
        return !full && lanes.isEmpty();
    }

    /** Hands a frame to the link; returns false if it is full. */
    boolean offer(Frame next) {
        if (full) {
            return false;
        }
        if (link.offer(next)) {
            return true;
        }
        full = true;
        return false;
    }

    /** The link has room again. */
    void writable() {
        full = over;
    }

    /** The session is over, and nothing is sent any more. */
    void end() {
        over = true;
        full = true;
    }

    /**
     * Looks for credit to grant to this channel at the end of the turn; returns its place among them, or -1 if that is
     * not to be.
     */
    int touched(Granting channel) {
        if (over) {
            return -1;
        }
        touched.add(channel);
        drainLater();
        return touched.size() - 1;
    }

    /**
     * This channel has ended. A peer that opens and ends channels as fast as it can must not have them kept until the
     * turn ends, or the link has room.
     */
    void forget(Granting channel) {
        forgetDue = true;
        drainLater();
        int place = channel.touchedAt();
        if (place >= 0) {
            touched.remove(place).touchedAt(place);
            channel.touchedAt(-1);
        }
        if (channel.leftInLanes() && ++overInLanes > MOST_OVER_IN_LANES && overInLanes > lanes.size() / 2) {
            lanes.removeIf(Outgoing::isOver);
            overInLanes = 0;
        }
    }

    void drainLater() {
        if (!turnEndWanted && !over) {
            loop.atTurnEnd(endOfTurn);
            turnEndWanted = true;
        }
    }

    private void endOfTurn() {
        turnEndWanted = false;
        try {
            grantTouched();
            touched.clear();
            if (forgetDue) {
                forgetDue = false;
                touched.forget();
            }
            drain();
        } catch (VirtualMachineError e) {
            halfDone.accept(e);
        }
    }

    /** If one channel's grant fails, the others still get theirs. */
    private void grantTouched() {
        for (int i = 0; i < touched.size(); i++) {
            try {
                touched.get(i).grant();
            } catch (RuntimeException e) {
                LOG.error("Granting credit to {} has failed", peer, e);
            }
        }
    }

    /** Sends what waits, as far as the link has room. */
    void drain() {
        if (draining || full) {
            return;
        }
        draining = true;
        try {
            for (Outgoing next; !full && (next = lanes.next()) != null; ) {
                if (!next.push()) {
                    next.putBack();
                }
            }
        } finally {
            draining = false;
        }
        drained.run();
    }

    /** As {@link #drain}, for a caller that goes on: a session that finds no memory ends, and nothing is thrown. */
    void drainNow() {
        try {
            drain();
        } catch (VirtualMachineError e) {
            halfDone.accept(e);
        }
    }
}
