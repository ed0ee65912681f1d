package io.weir.core;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.util.ResourceLeakDetector;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The small buffers of one loop: links copy small payloads to them, so that their own memory is free again at once, and
 * users write small payloads into them. Buffers that are released on the loop's thread are used again there; those
 * released elsewhere are left to the garbage collector, which is cheaper than handing them back between threads. So
 * steady traffic that is made and consumed on the loop allocates no memory.
 *
 * <p>Making one and {@link #take} belong to the loop's thread; allocators and releasing are free for all threads.
 */
public final class LoopBuffers {

    /** The longest payload that is kept here; longer ones come from an ordinary allocator. */
    public static final int LARGEST = 2048;

    /** Idle buffers kept per size: more than a loop has under way when it consumes what it receives; 1.7 MB in all. */
    private static final int KEPT = 512;

    /**
     * At its simple level, Netty's leak detector is offered one in so many, of which it takes one in 128: what it takes
     * costs as much as sending a hundred small messages. At the higher levels it sees them all.
     */
    private static final int OFFERED = 64;

    private static final byte[] NOTHING = {};

    private static final VarHandle SHORT_BE = values(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT_LE = values(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT_BE = values(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT_LE = values(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG_BE = values(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG_LE = values(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle OUT_BY_OWNER = outByOwner();

    private final Thread owner = Thread.currentThread();
    private final Shelf[] shelves = {new Shelf(64), new Shelf(256), new Shelf(1024), new Shelf(LARGEST)};
    private final SmallFirst received = new SmallFirst(UnpooledByteBufAllocator.DEFAULT);
    /** Written by the owner only; what happens elsewhere is counted apart, so that the owner's count needs no lock. */
    @SuppressWarnings("UnusedVariable") // Read through its handle.
    private long outByOwner;

    private final LongAdder outElsewhere = new LongAdder();
    /** Also counted by other threads, where one more or less does not matter. */
    private int given;

    /**
     * A buffer of this length, at most {@link #LARGEST}: reader index 0, writer index {@code length}, content
     * undefined. The caller owns it.
     */
    public ByteBuf take(int length) {
        if (length > LARGEST) {
            throw new IllegalArgumentException(length + " bytes exceed " + LARGEST);
        }
        return received.small(length, length).setIndex(0, length);
    }

    /**
     * Gives what may begin small and lie anywhere, as {@code buffer(32)}, in buffers of this loop, which grow if need
     * be, and takes all else from another allocator.
     */
    public ByteBufAllocator before(ByteBufAllocator others) {
        return new SmallFirst(others);
    }

    /** How many buffers are out and not released; exact when nobody is at work. */
    public long outstanding() {
        return (long) OUT_BY_OWNER.getOpaque(this) + outElsewhere.sum();
    }

    private static VarHandle values(Class<?> arrayOfThem, ByteOrder order) {
        return MethodHandles.byteArrayViewVarHandle(arrayOfThem, order);
    }

    private static VarHandle outByOwner() {
        try {
            return MethodHandles.lookup().findVarHandle(LoopBuffers.class, "outByOwner", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Shelf shelf(int length) {
        int at = 0;
        while (length > shelves[at].length) {
            at++;
        }
        return shelves[at];
    }

    private Small obtain(int length, int maxCapacity, boolean tracked) {
        Shelf shelf = shelf(length);
        if (Thread.currentThread() != owner) {
            outElsewhere.increment();
            return new Small(shelf).begin(length, maxCapacity);
        }
        outByOwner++;
        Small small = shelf.take(tracked);
        return small == null ? new Small(shelf).begin(length, maxCapacity) : small.again(length, maxCapacity);
    }

    /** Whether the leak detector may see the buffer that is given next. */
    private boolean isTracked() {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        return level == ResourceLeakDetector.Level.SIMPLE
                ? (given++ & OFFERED - 1) == 0
                : level != ResourceLeakDetector.Level.DISABLED;
    }

    /** The idle buffers of one size. Of the owner only. */
    private static final class Shelf {

        /** Of their arrays. */
        final int length;

        /**
         * A stack. What is taken out stays in its place, too, so that giving it back there stores no reference: into an
         * old object, that makes G1 wait for all earlier stores of the processor, which are on their way to another
         * one.
         */
        private final @Nullable Small[] idle = new @Nullable Small[KEPT];

        private int count;

        Shelf(int length) {
            this.length = length;
        }

        @Nullable
        Small take(boolean tracked) {
            if (count == 0) {
                return null;
            }
            Small small = idle[--count];
            if (tracked) {
                // Whoever is to find it lost looks for what nobody refers to.
                idle[count] = null;
            }
            return small;
        }

        @SuppressWarnings("ReferenceEquality") // Not the content matters, but what is stored.
        boolean keep(Small small) {
            if (count == KEPT) {
                return false;
            }
            if (idle[count] != small) {
                idle[count] = small;
            }
            count++;
            return true;
        }
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
     * A buffer that goes back to its owner instead of giving up its array. This may be longer than the capacity: what
     * Netty checks by the array alone, single values at a given index, then meets what the holder before has left.
     *
     * <p>Values are read and written whole, which Netty does byte by byte here: a processor that is to read eight bytes
     * at once which were written one by one waits until all its earlier stores are done, those to the peer's memory
     * among them.
     */
    private final class Small extends UnpooledHeapByteBuf {

        private final Shelf home;
        private byte[] bytes;
        private int capacity;
        /** Has grown out of its array. */
        private boolean moved;

        Small(Shelf home) {
            super(UnpooledByteBufAllocator.DEFAULT, home.length, Integer.MAX_VALUE);
            this.home = home;
            this.bytes = array();
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
                bytes = array();
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
         * Where the caller has the only reference, nobody else may touch the count, and on the loop there is nobody to
         * tell: so the processor need not wait for its earlier stores, as a release otherwise makes it.
         */
        @Override
        public boolean release() {
            if (refCnt() != 1 || Thread.currentThread() != owner) {
                return super.release();
            }
            setRefCnt(0);
            giveBack();
            return true;
        }

        @Override
        protected short _getShort(int index) {
            return (short) SHORT_BE.get(bytes, index);
        }

        @Override
        protected void _setShort(int index, int value) {
            SHORT_BE.set(bytes, index, (short) value);
        }

        @Override
        protected short _getShortLE(int index) {
            return (short) SHORT_LE.get(bytes, index);
        }

        @Override
        protected void _setShortLE(int index, int value) {
            SHORT_LE.set(bytes, index, (short) value);
        }

        @Override
        protected int _getInt(int index) {
            return (int) INT_BE.get(bytes, index);
        }

        @Override
        protected void _setInt(int index, int value) {
            INT_BE.set(bytes, index, value);
        }

        @Override
        protected int _getIntLE(int index) {
            return (int) INT_LE.get(bytes, index);
        }

        @Override
        protected void _setIntLE(int index, int value) {
            INT_LE.set(bytes, index, value);
        }

        @Override
        protected long _getLong(int index) {
            return (long) LONG_BE.get(bytes, index);
        }

        @Override
        protected void _setLong(int index, long value) {
            LONG_BE.set(bytes, index, value);
        }

        @Override
        protected long _getLongLE(int index) {
            return (long) LONG_LE.get(bytes, index);
        }

        @Override
        protected void _setLongLE(int index, long value) {
            LONG_LE.set(bytes, index, value);
        }

        @Override
        protected void deallocate() {
            if (Thread.currentThread() == owner) {
                giveBack();
            } else {
                outElsewhere.decrement();
                giveUp();
            }
        }

        private void giveBack() {
            outByOwner--;
            if (moved || !home.keep(this)) {
                giveUp();
            }
        }

        private void giveUp() {
            bytes = NOTHING;
            super.deallocate();
        }
    }
}
