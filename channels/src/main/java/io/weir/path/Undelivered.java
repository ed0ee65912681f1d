package io.weir.path;

import io.weir.core.Frame;
import io.weir.core.Link;
import java.util.ArrayDeque;

/**
 * The frames that a lost link may not have delivered, in the order of the session: first all that it hands back, then
 * those that the peer has not received and that have to go again before anything else. Loop thread only.
 */
final class Undelivered {

    private final Retained retained;
    private final ArrayDeque<KeptFrame> kept = new ArrayDeque<>(0);
    /** What has to go again. */
    private final ArrayDeque<KeptFrame> again = new ArrayDeque<>(0);

    private final Frame holder = new Frame();
    private long sentAgain;

    /** @param retained whether there is memory for what is kept */
    Undelivered(Retained retained) {
        this.retained = retained;
    }

    /**
     * Keeps what this link has not delivered.
     *
     * @param counts whether it may be missing at the peer; otherwise it is dropped
     * @return whether the link knows all of it, and all that counts could be kept
     */
    boolean takeBack(Link from, boolean counts) {
        boolean[] fits = {true};
        boolean known = from.handBack(frame -> {
            boolean keeps = counts && KeptFrame.counts(frame.kind());
            fits[0] &= !keeps || retained.mayKeep(frame.bodyLength());
            if (keeps && fits[0]) {
                kept.add(KeptFrame.of(frame));
            } else {
                frame.body().release();
            }
        });
        // They are behind what was sent, and count as if they were.
        sentAgain -= again.size();
        kept.addAll(again);
        again.clear();
        return known && fits[0];
    }

    int kept() {
        return kept.size();
    }

    /** The last {@code missing} frames of those kept have to go again, over this link; the peer has the others. */
    void sendAgain(long missing, Link over) {
        while (kept.size() > missing) {
            kept.remove().release();
        }
        sentAgain += missing;
        for (KeptFrame each; (each = kept.poll()) != null; ) {
            each.cutFor(over, again);
        }
    }

    /** Frames that were sent and that the peer will never count, as they are sent again. */
    long sentAgain() {
        return sentAgain;
    }

    /** Whether something has to go again. */
    boolean isDue() {
        return !again.isEmpty();
    }

    /** Offers the first one of what has to go again; returns whether the link has taken it. */
    boolean offerNext(Link over) {
        boolean taken = over.offer(again.element().into(holder));
        if (taken) {
            again.remove();
        }
        holder.clear();
        return taken;
    }

    /** What is kept is not needed. */
    void dropKept() {
        KeptFrame.releaseAll(kept);
        forgetIfNothingWaits();
    }

    /** Its memory is for others, if nothing is kept and nothing has to go again. */
    void forgetIfNothingWaits() {
        if (kept.isEmpty() && again.isEmpty()) {
            retained.keepsNone();
        }
    }

    /** Nothing goes again any more. */
    void end() {
        KeptFrame.releaseAll(kept);
        KeptFrame.releaseAll(again);
        retained.end();
    }
}
