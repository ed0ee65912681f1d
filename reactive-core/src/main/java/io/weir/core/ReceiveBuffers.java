package io.weir.core;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Where links copy small payloads to, so that their own memory is free again at once. Buffers that are released on the
 * loop's thread are used again; those released elsewhere are left to the garbage collector, which is cheaper than handing
 * them back between threads. So steady traffic that is consumed on the loop allocates nothing.
 *
 * <p>{@link #take} belongs to the thread that made this; releasing is free for all threads.
 */
public final class ReceiveBuffers {

    /** The longest payload that is kept here; longer ones come from an ordinary allocator. */
    public static final int LARGEST = 2048;

    private static final int[] CLASSES = {64, 256, 1024, LARGEST};

    /** Idle buffers kept per size class: more than a loop has under way when it consumes what it receives; 1.7 MB in all. */
    private static final int KEPT = 512;

    private final Thread owner = Thread.currentThread();
    private final @Nullable Small[][] idle = new @Nullable Small[CLASSES.length][KEPT];
    private final int[] idleCount = new int[CLASSES.length];
    private final Allocator allocator = new Allocator();
    /** Written by the owner only; the elsewhere released ones are counted apart, so that the owner's count needs no lock. */
    private final AtomicLong outByOwner = new AtomicLong();

    private final LongAdder releasedElsewhere = new LongAdder();

    /**
     * A buffer of this length, at most {@link #LARGEST}: reader index 0, writer index {@code length}, content undefined. The
     * caller owns it.
     */
    public ByteBuf take(int length) {
        return allocator.take(length);
    }

    /** How many buffers are out and not released; exact when the owner is quiet. */
    public long outstanding() {
        return outByOwner.getOpaque() - releasedElsewhere.sum();
    }

    private static int classOf(int length) {
        for (int i = 0; i < CLASSES.length; i++) {
            if (length <= CLASSES[i]) {
                return i;
            }
        }
        throw new IllegalArgumentException(length + " bytes exceed " + LARGEST);
    }

    private Small obtain(int length) {
        int sizeClass = classOf(length);
        outByOwner.setOpaque(outByOwner.getPlain() + 1);
        int count = idleCount[sizeClass];
        if (count == 0) {
            return new Small(sizeClass);
        }
        idleCount[sizeClass] = count - 1;
        Small small = idle[sizeClass][count - 1];
        idle[sizeClass][count - 1] = null;
        return small.again();
    }

    private void free(Small small) {
        if (Thread.currentThread() != owner) {
            releasedElsewhere.increment();
            return;
        }
        outByOwner.setOpaque(outByOwner.getPlain() - 1);
        int count = idleCount[small.sizeClass];
        if (count < KEPT && small.capacity() == CLASSES[small.sizeClass]) {
            idle[small.sizeClass][count] = small;
            idleCount[small.sizeClass] = count + 1;
        }
    }

    /** Exists because only an allocator may hand its buffers to Netty's leak detector. */
    private final class Allocator extends AbstractByteBufAllocator {

        Allocator() {
            super(false);
        }

        ByteBuf take(int length) {
            return toLeakAwareBuffer(obtain(length)).setIndex(0, length);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    /** A buffer that goes back to its owner instead of giving up its array. */
    private final class Small extends UnpooledHeapByteBuf {

        private final int sizeClass;

        Small(int sizeClass) {
            super(UnpooledByteBufAllocator.DEFAULT, CLASSES[sizeClass], CLASSES[sizeClass]);
            this.sizeClass = sizeClass;
        }

        /** As new: marks of the holder before would lie outside of what the next one sees. */
        Small again() {
            resetRefCnt();
            setIndex(0, 0);
            markReaderIndex();
            markWriterIndex();
            return this;
        }

        @Override
        protected void deallocate() {
            free(this);
        }
    }
}
