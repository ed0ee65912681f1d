package io.weir.transport.tcp;

import io.weir.core.FrameLayout;
import io.weir.core.Loop;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * How many frames were delivered to a side that keeps what it sends, and when to tell it: at the end of a turn in which much has come,
 * else a little later, so that it keeps nothing for long. Loop thread only.
 */
final class Receipts {

    /**
     * More than so many bytes are acknowledged when the turn ends. A longer body is one that the sender does not copy: who waits for its
     * release waits no longer than for the way there and back.
     */
    static final int AT_ONCE = Outbox.COPIED;

    /** Until fewer bytes are acknowledged: what they keep alive is the link's own memory, and ten ACKs a second cost nothing. */
    static final Duration LATER = Duration.ofMillis(100);

    private final Loop loop;
    private final Runnable wanted;
    private long delivered;
    private long untold;
    private boolean due;
    private boolean waiting;
    private Disposable later = Disposables.disposed();

    /**
     * Counts from 0.
     *
     * @param wanted called when {@link #isDue} has come to be true, more than once perhaps
     */
    Receipts(Loop loop, Runnable wanted) {
        this.loop = loop;
        this.wanted = wanted;
    }

    /** A frame with so many bytes of control data and body was delivered. */
    void count(int length) {
        delivered++;
        untold += FrameLayout.HEADER + length;
        if (untold > AT_ONCE) {
            fallDue();
        } else if (!waiting) {
            waiting = true;
            later = loop.schedule(this::late, LATER);
        }
    }

    private void late() {
        waiting = false;
        if (untold > 0) {
            fallDue();
        }
    }

    private void fallDue() {
        due = true;
        wanted.run();
    }

    boolean isDue() {
        return due;
    }

    /** The number of frames, which the other side is told now. */
    long tell() {
        due = false;
        untold = 0;
        return delivered;
    }

    /** Nobody is to be told any longer. */
    void end() {
        later.dispose();
    }
}
