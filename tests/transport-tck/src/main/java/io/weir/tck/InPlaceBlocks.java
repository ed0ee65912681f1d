package io.weir.tck;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Memory that a {@link FaultyLink} carries without a copy; as scarce as that of a real link. */
final class InPlaceBlocks extends AbstractByteBufAllocator {

    private static final int MOST = 64;

    private final AtomicInteger out = new AtomicInteger();

    InPlaceBlocks() {
        super(true);
    }

    /** Whether the buffer lies in a block of these. */
    boolean hold(ByteBuf buffer) {
        @Nullable ByteBuf at = buffer;
        while (at != null) {
            if (at instanceof Block block) {
                return block.alloc() == this;
            }
            at = at.unwrap();
        }
        return false;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        if (out.incrementAndGet() > MOST) {
            out.decrementAndGet();
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
        }
        return toLeakAwareBuffer(new Block(initialCapacity, maxCapacity));
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    private final class Block extends UnpooledDirectByteBuf {

        Block(int initialCapacity, int maxCapacity) {
            super(InPlaceBlocks.this, initialCapacity, maxCapacity);
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            out.decrementAndGet();
        }
    }
}
