package io.weir.channel;

import io.weir.core.FrameKind;
import java.util.function.LongConsumer;

/** The questions whether the peer is there, and how long its answers take. Loop thread only. */
final class Pings {

    private final Outbox outbox;
    private final LongConsumer answered;

    /** The peer is to be asked before anything else that waits for the link. */
    private boolean due;

    /** The latest question, numbered downwards from 0: the positive numbers ask whether the peer has had everything. */
    private int latest;

    private long askedAt;
    /** A peer may say what it likes, but each answer counts once. */
    private boolean awaited;

    /** @param answered gets the {@link System#nanoTime} of the question that the peer has answered */
    Pings(Outbox outbox, LongConsumer answered) {
        this.outbox = outbox;
        this.answered = answered;
    }

    /** Asks now, or as soon as the link has room. */
    void ask() {
        due = !outbox.offer(outbox.frame().set(FrameKind.PING, 0, 0, --latest));
        askedAt = System.nanoTime();
        awaited = true;
    }

    /** The link has room. */
    void askIfDue() {
        if (due) {
            ask();
        }
    }

    boolean isAwaited() {
        return awaited;
    }

    /** The peer has answered the question of this number. */
    void answered(int number) {
        if (awaited && number == latest) {
            awaited = false;
            answered.accept(askedAt);
        }
    }
}
