package io.weir.core;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.util.ResourceLeakDetector;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The small buffers of one loop: links copy small payloads to them, so that their own memory is free again at once, and users
 * write small payloads into them. Buffers that are released on the loop's thread are used again there; those released
 * elsewhere are left to the garbage collector, which is cheaper than handing them back between threads. So steady traffic
 * that is made and consumed on the loop allocates no memory.
 *
 * <p>Making one and {@link #take} belong to the loop's thread; allocators and releasing are free for all threads.
 */
public final class LoopBuffers {

    /** The longest payload that is kept here; longer ones come from an ordinary allocator. */
    public static final int LARGEST = 2048;

    private static final int[] CLASSES = {64, 256, 1024, LARGEST};

    /** Idle buffers kept per size class: more than a loop has under way when it consumes what it receives; 1.7 MB in all. */
    private static final int KEPT = 512;

    /**
     * At its simple level, Netty's leak detector is offered one in so many, of which it takes one in 128: what it takes costs as
     * much as sending a hundred small messages. At the higher levels it sees them all.
     */
    private static final int OFFERED = 64;

    private final Thread owner = Thread.currentThread();
    /**
     * Stacks. What is taken out stays in its place, too, so that giving it back there stores no reference: into an old object,
     * that makes G1 wait for all earlier stores of the processor, which are on their way to another one.
     */
    private final @Nullable Small[][] idle = new @Nullable Small[CLASSES.length][KEPT];

    private final int[] idleCount = new int[CLASSES.length];
    private final SmallFirst received = new SmallFirst(UnpooledByteBufAllocator.DEFAULT);
    /** Written by the owner only; what happens elsewhere is counted apart, so that the owner's count needs no lock. */
    private final AtomicLong outByOwner = new AtomicLong();

    private final LongAdder outElsewhere = new LongAdder();
    /** Also counted by other threads, where one more or less does not matter. */
    private int given;

    /**
     * A buffer of this length, at most {@link #LARGEST}: reader index 0, writer index {@code length}, content undefined. The
     * caller owns it.
     */
    public ByteBuf take(int length) {
        if (length > LARGEST) {
            throw new IllegalArgumentException(length + " bytes exceed " + LARGEST);
        }
        return received.small(length, length).setIndex(0, length);
    }

    /**
     * Gives what may begin small and lie anywhere, as {@code buffer(32)}, in buffers of this loop, which grow if need be, and
     * takes all else from another allocator.
     */
    public ByteBufAllocator before(ByteBufAllocator others) {
        return new SmallFirst(others);
    }

    /** How many buffers are out and not released; exact when nobody is at work. */
    public long outstanding() {
        return outByOwner.getOpaque() + outElsewhere.sum();
    }

    private static int classOf(int length) {
        int sizeClass = 0;
        while (length > CLASSES[sizeClass]) {
            sizeClass++;
        }
        return sizeClass;
    }

    private Small obtain(int length, int maxCapacity, boolean tracked) {
        int sizeClass = classOf(length);
        if (Thread.currentThread() != owner) {
            outElsewhere.increment();
            return new Small(sizeClass).begin(length, maxCapacity);
        }
        outByOwner.setOpaque(outByOwner.getPlain() + 1);
        int count = idleCount[sizeClass] - 1;
        if (count < 0) {
            return new Small(sizeClass).begin(length, maxCapacity);
        }
        idleCount[sizeClass] = count;
        Small small = Objects.requireNonNull(idle[sizeClass][count]);
        if (tracked) {
            // Whoever is to find it lost looks for what nobody refers to.
            idle[sizeClass][count] = null;
        }
        return small.again(length, maxCapacity);
    }

    /** Whether the leak detector may see the buffer that is given next. */
    private boolean isTracked() {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        return level == ResourceLeakDetector.Level.SIMPLE
                ? (given++ & OFFERED - 1) == 0
                : level != ResourceLeakDetector.Level.DISABLED;
    }

    @SuppressWarnings("ReferenceEquality") // Not the content matters, but what is stored.
    private boolean keep(Small small) {
        if (Thread.currentThread() != owner) {
            outElsewhere.decrement();
            return false;
        }
        outByOwner.setOpaque(outByOwner.getPlain() - 1);
        int count = idleCount[small.sizeClass];
        if (count == KEPT || small.moved) {
            return false;
        }
        if (idle[small.sizeClass][count] != small) {
            idle[small.sizeClass][count] = small;
        }
        idleCount[small.sizeClass] = count + 1;
        return true;
    }

    private final class SmallFirst extends AbstractByteBufAllocator {

        private static final int INITIAL = 256;

        private final ByteBufAllocator others;

        SmallFirst(ByteBufAllocator others) {
            super(false);
            this.others = others;
        }

        /** Only an allocator may hand its buffers to Netty's leak detector. */
        ByteBuf small(int length, int maxCapacity) {
            boolean tracked = isTracked();
            Small small = obtain(length, maxCapacity, tracked);
            return tracked ? toLeakAwareBuffer(small) : small;
        }

        @Override
        public ByteBuf buffer() {
            return buffer(INITIAL);
        }

        @Override
        public ByteBuf buffer(int initialCapacity) {
            return buffer(initialCapacity, Integer.MAX_VALUE);
        }

        @Override
        public ByteBuf buffer(int initialCapacity, int maxCapacity) {
            return initialCapacity >= 0 && initialCapacity <= Math.min(LARGEST, maxCapacity)
                    ? small(initialCapacity, maxCapacity)
                    : others.buffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return others.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            return others.directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return others.isDirectBufferPooled();
        }
    }

    /**
     * A buffer that goes back to its owner instead of giving up its array. This may be longer than the capacity: what Netty
     * checks by the array alone, single values at a given index, then meets what the holder before has left.
     */
    private final class Small extends UnpooledHeapByteBuf {

        private final int sizeClass;
        private int capacity;
        /** Has grown out of its array. */
        private boolean moved;

        Small(int sizeClass) {
            super(UnpooledByteBufAllocator.DEFAULT, CLASSES[sizeClass], Integer.MAX_VALUE);
            this.sizeClass = sizeClass;
        }

        Small begin(int length, int maxCapacity) {
            capacity = length;
            maxCapacity(maxCapacity);
            return this;
        }

        /** As new: marks of the holder before would lie outside of what the next one sees. */
        Small again(int length, int maxCapacity) {
            resetRefCnt();
            setIndex(0, 0);
            markReaderIndex();
            markWriterIndex();
            return begin(length, maxCapacity);
        }

        @Override
        public int capacity() {
            return capacity;
        }

        @Override
        public ByteBuf capacity(int newCapacity) {
            checkNewCapacity(newCapacity);
            if (newCapacity > array().length) {
                super.capacity(newCapacity);
                moved = true;
            } else if (newCapacity < capacity) {
                trimIndicesToCapacity(newCapacity);
            }
            capacity = newCapacity;
            return this;
        }

        @Override
        public int maxFastWritableBytes() {
            return Math.min(array().length, maxCapacity()) - writerIndex();
        }

        /**
         * Where the caller has the only reference, nobody else may touch the count, and on the loop there is nobody to tell: so
         * the processor need not wait for its earlier stores, as a release otherwise makes it.
         */
        @Override
        public boolean release() {
            if (refCnt() != 1 || Thread.currentThread() != owner) {
                return super.release();
            }
            setRefCnt(0);
            deallocate();
            return true;
        }

        @Override
        protected void deallocate() {
            if (!keep(this)) {
                super.deallocate();
            }
        }
    }
}
