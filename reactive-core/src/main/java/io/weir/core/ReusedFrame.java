package io.weir.core;

/**
 * A frame to fill again and again. Now and then it is a new one: a reference that is stored in an old object makes G1
 * wait for all earlier stores of the processor, one in a young object does not. Not thread-safe.
 */
public final class ReusedFrame {

    /** Few enough to come before the next collection under load, many enough to cost nothing. */
    private static final int USES = 1024;

    private Frame frame = new Frame();
    private int uses;

    /** The frame to fill now, with whatever was in it; what this gave before must no longer be used. */
    public Frame next() {
        if (++uses == USES) {
            uses = 0;
            frame = new Frame();
        }
        return frame;
    }

    /** What {@link #next} gave last. */
    public Frame current() {
        return frame;
    }
}
