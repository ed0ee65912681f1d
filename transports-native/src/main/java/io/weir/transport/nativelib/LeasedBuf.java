package io.weir.transport.nativelib;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A buffer that lies in mapped memory until it is released, or grows beyond its place and moves into ordinary memory.
 *
 * <p>Its address is told even where Netty tells none for want of Unsafe: by it a link recognises what lies in its own
 * memory through slices, duplicates and leak detection.
 */
public class LeasedBuf extends UnpooledDirectByteBuf {

    private final long address;
    private @Nullable Lease lease;

    /** Takes over the lease. Both indices are zero. */
    public LeasedBuf(ByteBufAllocator allocator, ByteBuffer memory, long address, int maxCapacity, Lease lease) {
        super(allocator, memory, maxCapacity);
        this.address = address;
        this.lease = lease;
        setIndex(0, 0);
    }

    @Override
    public final ByteBuf capacity(int newCapacity) {
        if (newCapacity != capacity()) {
            super.capacity(newCapacity);
            leave();
        }
        return this;
    }

    @Override
    public final boolean hasMemoryAddress() {
        return lease != null || super.hasMemoryAddress();
    }

    @Override
    public final long memoryAddress() {
        return lease != null ? address : super.memoryAddress();
    }

    @Override
    protected final void deallocate() {
        // First, so that nothing reaches the memory through this any longer.
        super.deallocate();
        leave();
    }

    private void leave() {
        Lease ended = lease;
        lease = null;
        if (ended != null) {
            ended.end();
        }
    }
}
