package io.weir.transport.shm;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.weir.core.LoopBuffers;
import io.weir.transport.nativelib.LeasedBuf;

/**
 * Gives direct buffers that lie in a link's own segment, so that sending them copies nothing. What is too short to be
 * worth a block, does not fit now, or comes after the link has ended, is ordinary memory. Thread-safe.
 */
final class BlockAllocator extends AbstractByteBufAllocator {

    /** Shorter bodies are copied into the ring, which costs less than a block and its way back. */
    static final int LEAST = LoopBuffers.LARGEST + 1;

    private static final ByteBufAllocator ORDINARY = PooledByteBufAllocator.DEFAULT;

    private final BlockPool pool;

    BlockAllocator(BlockPool pool) {
        super(true);
        this.pool = pool;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        BlockPool.Block block = initialCapacity < LEAST ? null : pool.take(initialCapacity);
        return block == null
                ? ORDINARY.directBuffer(initialCapacity, maxCapacity)
                : toLeakAwareBuffer(buffer(block, initialCapacity, maxCapacity));
    }

    /** The block as a buffer, which owns it now. */
    LeasedBuf buffer(BlockPool.Block block, int capacity, int maxCapacity) {
        return new LeasedBuf(this, block.memory(capacity), block.address(), maxCapacity, block);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return ORDINARY.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }
}
