package io.weir.transport.tcp;

import io.weir.core.Loop;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * How many frames were delivered to a side that keeps what it sends, and when to tell it: at the end of a turn in which
 * something long or much has come, else a little later, so that it keeps nothing for long. Loop thread only.
 */
final class Receipts {

    /**
     * A longer frame is acknowledged when the turn ends: its body is one that the sender does not copy, and who waits
     * for the release of that waits for the way there and back only.
     */
    private static final int LONG = Outbox.COPIED;

    /**
     * More bytes than these are acknowledged when the turn ends, too: so seldom that it costs a stream of short
     * messages little.
     */
    static final int MANY = 128 << 10;

    /**
     * What a frame counts for besides its bytes, so that {@link Kept} is not full of short ones before they are
     * acknowledged.
     */
    private static final int OF_FRAME = 64;

    /**
     * Until fewer bytes are acknowledged: what they keep alive is the link's own memory, and ten ACKs a second cost
     * nothing.
     */
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

    /** A frame was delivered that has taken so many bytes on the wire. */
    void count(long bytes) {
        delivered++;
        untold += bytes + OF_FRAME;
        if (bytes > LONG || untold > MANY) {
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

    /** The number of frames, which is sent to the other side now. */
    long tell() {
        due = false;
        untold = 0;
        return delivered;
    }

    /** Nobody is to be informed any longer. */
    void end() {
        later.dispose();
    }
}
