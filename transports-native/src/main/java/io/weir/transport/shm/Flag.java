package io.weir.transport.shm;

import static io.weir.transport.shm.SegmentLayout.LONGS;

import java.nio.ByteBuffer;

/**
 * A word by which one side says that it sleeps and the other learns that it must wake it. Who sets it puts a full fence
 * between that and looking for work; who publishes work reads it behind a full fence at some time before it rests
 * itself, and may read it without one before.
 */
final class Flag {

    private Flag() {}

    static void set(ByteBuffer memory, int index, boolean value) {
        LONGS.setOpaque(memory, index, value ? 1L : 0L);
    }

    /** Whether it is set; clears it then, so that one sleep costs one wake-up. Any thread. */
    static boolean take(ByteBuffer memory, int index) {
        return (long) LONGS.getOpaque(memory, index) != 0 && (long) LONGS.getAndSet(memory, index, 0L) != 0;
    }
}
