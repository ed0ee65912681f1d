package io.weir.transport.shm;

import static io.weir.transport.shm.SegmentLayout.INTS;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.weir.core.PeerMemory;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Lease;
import io.weir.transport.nativelib.LeasedBuf;
import io.weir.transport.nativelib.Mapping;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * The blocks in the peer's segment that we were lent: makes buffers of them and gives them back when they are released,
 * on any thread and in any order. Each buffer holds the mapping, so that giving back is safe also after the link has
 * ended.
 */
final class ReceivedBlocks implements LentBlocks {

    private final Mapping mapping;
    private final int pool;
    private final int poolSize;
    private final int slots;
    private final boolean copy;
    private final Doorbell sender;
    private final Allocator allocator = new Allocator();

    /** The slots that we were lent. */
    private final BitSet lent = new BitSet();

    /** How many we have given back; the next one's place follows from it. */
    private int returned;

    ReceivedBlocks(Segment segment, boolean copy, Doorbell sender) {
        SegmentLayout layout = segment.layout();
        this.mapping = segment.mapping();
        this.pool = layout.pool();
        this.poolSize = layout.poolSize();
        this.slots = layout.slots();
        this.copy = copy;
        this.sender = sender;
    }

    @Override
    public ByteBuf receive(long place, long slotWord) {
        int offset = (int) place;
        int length = (int) (place >>> 32);
        if (offset < 0 || length < 0 || (long) offset + length > poolSize) {
            throw new ProtocolMismatch(
                    "the peer lends " + length + " bytes at " + offset + " of a pool of " + poolSize);
        }
        if (slotWord < 0 || slotWord >= slots) {
            throw new ProtocolMismatch("the peer lends a block by the slot " + slotWord + " of " + slots);
        }
        int slot = (int) slotWord;
        synchronized (this) {
            if (lent.get(slot)) {
                throw new ProtocolMismatch("the peer lends a block by the slot " + slot + ", which we have already");
            }
            lent.set(slot);
        }
        mapping.retain();
        return copy ? copyOf(offset, length, slot) : allocator.lent(offset, length, slot);
    }

    private ByteBuf copyOf(int offset, int length, int slot) {
        try {
            ByteBuf body = PooledByteBufAllocator.DEFAULT.directBuffer(length, length);
            return body.writeBytes(mapping.memory().slice(pool + offset, length));
        } finally {
            giveBack(slot);
        }
    }

    private void giveBack(int slot) {
        ByteBuffer memory = mapping.memory();
        synchronized (this) {
            lent.clear(slot);
            int index = SegmentLayout.RETURNS + (returned++ & (slots - 1)) * Integer.BYTES;
            INTS.setRelease(memory, index, slot + 1);
        }
        VarHandle.fullFence();
        boolean wake = Flag.take(memory, SegmentLayout.SENDER_WAITS);
        mapping.release();
        if (wake) {
            sender.ring();
        }
    }

    /** How many blocks of the peer we have. */
    synchronized int outstanding() {
        return lent.cardinality();
    }

    /** A block of the peer. */
    private static final class LentBuf extends LeasedBuf implements PeerMemory {

        LentBuf(ByteBufAllocator allocator, ByteBuffer memory, long address, int length, Lease lease) {
            super(allocator, memory, address, length, lease);
        }
    }

    /** Exists because only an allocator may hand its buffers to Netty's leak detector. */
    private final class Allocator extends AbstractByteBufAllocator {

        Allocator() {
            super(true);
        }

        ByteBuf lent(int offset, int length, int slot) {
            ByteBuffer memory = mapping.memory().slice(pool + offset, length);
            long address = mapping.address() + pool + offset;
            LentBuf body = new LentBuf(ordinary(), memory, address, length, () -> giveBack(slot));
            return toLeakAwareBuffer(body.setIndex(0, length));
        }

        private ByteBufAllocator ordinary() {
            return PooledByteBufAllocator.DEFAULT;
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return ordinary().heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            return ordinary().directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return true;
        }
    }
}
