package io.weir.tck;

import io.weir.core.Frame;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Offers frames as fast as a link takes them, a few at a time, so that the loop gets to its other work. Belongs
 * to the loop, except for what a test asks it.
 */
final class Pump {

    /** A session gives up the thread after about as many. */
    private static final int AT_ONCE = 64;

    private final End end;
    private final FrameSource source;
    private final Frame frame = new Frame();
    private volatile long last;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong uselessCalls = new AtomicLong();
    private boolean filled;
    private volatile boolean waiting;
    private boolean scheduled;
    private boolean stopped;

    Pump(End end, FrameSource source, long count) {
        this.end = end;
        this.source = source;
        this.last = count;
    }

    /** How many frames the link has taken. */
    long taken() {
        return taken.get();
    }

    /** How often the link said that there is room when there was none. */
    long uselessCalls() {
        return uselessCalls.get();
    }

    /** Whether the link has said no and not called since. */
    boolean isWaiting() {
        return waiting;
    }

    boolean done() {
        return taken() >= last;
    }

    /** Ends with the frame that is waiting to be taken; on the loop's thread. Returns how many frames it had. */
    long finish() {
        last = filled ? taken() + 1 : taken();
        return last;
    }

    /** Lets it go on to this many frames in all; on the loop's thread. */
    void upTo(long count) {
        last = count;
        if (!waiting) {
            more();
        }
    }

    /** Offers what there is; called at the beginning and whenever the link is writable. */
    void more() {
        boolean again = waiting;
        waiting = false;
        for (int i = 0; i < AT_ONCE && !stopped && taken() < last; i++) {
            if (!offerNext()) {
                waiting = true;
                if (again) {
                    uselessCalls.incrementAndGet();
                }
                return;
            }
            again = false;
        }
        if (!stopped && taken() < last && !scheduled) {
            scheduled = true;
            end.loop.execute(() -> end.guard(this::goOn));
        }
    }

    private void goOn() {
        scheduled = false;
        if (!waiting) {
            more();
        }
    }

    private boolean offerNext() {
        if (!filled) {
            source.fill(taken(), frame, end.bodies);
            filled = true;
        }
        int references = frame.body().refCnt();
        int readerIndex = frame.body().readerIndex();
        if (!end.offer(frame)) {
            refusedUntouched(references, readerIndex);
            return false;
        }
        filled = false;
        taken.incrementAndGet();
        return true;
    }

    private void refusedUntouched(int references, int readerIndex) {
        if (frame.body().readerIndex() != readerIndex
                || (frame.body().unwrap() == null && frame.body().refCnt() != references)) {
            throw new AssertionError("offer() said no and changed the body: " + frame.body());
        }
    }

    /** Offers nothing more and releases what waits. */
    void stop() {
        stopped = true;
        if (filled) {
            filled = false;
            frame.release();
        }
    }
}
