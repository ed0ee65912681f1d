package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * A frame to fill again and again. Now and then it is a new one: a reference that is stored in an old object makes G1
 * wait for all earlier stores of the processor, one in a young object does not. Not thread-safe.
 */
public final class ReusedFrame {

    /** Few enough to come before the next collection under load, many enough to cost nothing. */
    private static final int USES = 1024;

    private Frame frame = new Frame();
    private int uses;
    /** Where bodies lie that are only lent; null: nobody has wanted that. */
    private @Nullable ContentMemory lent;

    /** The frame to fill now, with whatever was in it; what this gave before must no longer be used. */
    public Frame next() {
        if (++uses == USES) {
            uses = 0;
            frame = new Frame();
        }
        return frame;
    }

    /**
     * Where a body of this length is to be put so that it can be lent; null: who received the frame that {@link #next}
     * gave last has not asked for that, or it can't be now.
     *
     * @param copies gives the buffers for whoever wants to keep what is lent
     */
    public @Nullable ContentMemory lends(int length, LoopBuffers copies) {
        if (!frame.lendsNext() || length > LoopBuffers.LARGEST) {
            return null;
        }
        ContentMemory memory = lent;
        if (memory == null) {
            memory = new ContentMemory(LoopBuffers.LARGEST, copies);
            lent = memory;
        }
        // A codec that reads there may have led to this.
        return memory.inUse() ? null : memory;
    }

    /** What {@link #next} gave last. */
    public Frame current() {
        return frame;
    }
}
