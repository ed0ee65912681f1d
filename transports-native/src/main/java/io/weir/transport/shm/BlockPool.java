package io.weir.transport.shm;

import static io.weir.transport.shm.SegmentLayout.INTS;
import static io.weir.transport.shm.SegmentLayout.UNIT;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Lease;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.nativelib.UnitMap;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of our own segment: which units are taken, and which blocks the peer still reads. Thread-safe: blocks are
 * made and released by any thread. No foreign code runs under the lock.
 */
final class BlockPool {

    private final Mapping mapping;
    private final IntConsumer wantsMemory;
    private final int pool;
    private final int poolSize;
    private final int returns;
    private final UnitMap units;
    /** Units that have memory; the others count as taken. Written under the lock, read without. */
    private volatile int unitsThere;

    /** By slot: the reference that we hold for the peer. */
    private final @Nullable ByteBuf[] inFlight;

    private final int[] freeSlots;
    private int freeSlotCount;
    /** Written under the lock, read without. */
    private volatile int inFlightCount;

    /** How many returns we have taken; the next one's place follows from it. */
    private int returned;

    private boolean ended;

    BlockPool(Segment segment) {
        this(segment, segment.layout().poolSize(), bytes -> {});
    }

    /**
     * A pool of which only the beginning has memory.
     *
     * @param bytes of it that have memory
     * @param wantsMemory called by any thread with the length of a block for which more is needed, perhaps often; what
     *     follows is a call of {@link #grown}
     */
    BlockPool(Segment segment, int bytes, IntConsumer wantsMemory) {
        this.wantsMemory = wantsMemory;
        SegmentLayout layout = segment.layout();
        this.mapping = segment.mapping();
        this.pool = layout.pool();
        this.poolSize = layout.poolSize();
        this.returns = SegmentLayout.RETURNS;
        this.units = new UnitMap(layout.units());
        this.unitsThere = bytes / UNIT;
        int unusedAll = units.take(layout.units());
        units.give(0, unitsThere);
        this.inFlight = new @Nullable ByteBuf[layout.slots()];
        this.freeSlots = new int[layout.slots()];
        for (int slot = 0; slot < freeSlots.length; slot++) {
            freeSlots[slot] = freeSlots.length - 1 - slot;
        }
        this.freeSlotCount = freeSlots.length;
    }

    /** A block of at least this many bytes, or null if the pool has no such run of units now or has ended. */
    @Nullable
    Block take(int bytes) {
        int count = (int) ((bytes + UNIT - 1L) / UNIT);
        Block block = tryTake(count);
        while (block == null && inFlightCount != 0) {
            ByteBuf back = nextReturnedOrNull();
            if (back == null) {
                break;
            }
            back.release();
            block = tryTake(count);
        }
        if (block == null && bytes <= poolSize && unitsThere != poolSize / UNIT) {
            wantsMemory.accept(bytes);
        }
        return block;
    }

    /** So many bytes of the pool have memory now. */
    synchronized void grown(int bytes) {
        int there = bytes / UNIT;
        if (there > unitsThere) {
            units.give(unitsThere, there - unitsThere);
            unitsThere = there;
        }
    }

    private synchronized @Nullable Block tryTake(int count) {
        if (ended) {
            return null;
        }
        int first = units.take(count);
        if (first < 0) {
            return null;
        }
        mapping.retain();
        return new Block(first, count);
    }

    private void give(int first, int count) {
        synchronized (this) {
            units.give(first, count);
        }
        mapping.release();
    }

    /** Whether these readable bytes lie in the pool, in one piece. */
    boolean contains(ByteBuf body) {
        return body.hasMemoryAddress() && offsetOf(body) >= 0;
    }

    /** Where these readable bytes begin in the pool, or -1 if not all of them lie there. */
    int offsetOf(ByteBuf body) {
        long offset = body.memoryAddress() + body.readerIndex() - mapping.address() - pool;
        return offset >= 0 && offset + body.readableBytes() <= poolSize ? (int) offset : -1;
    }

    /**
     * Keeps a reference while the peer reads. Returns the slot by which the peer gives it back, or -1 if none is free.
     */
    synchronized int lend(ByteBuf block) {
        if (freeSlotCount == 0) {
            return -1;
        }
        int slot = freeSlots[--freeSlotCount];
        inFlight[slot] = block;
        inFlightCount++;
        return slot;
    }

    /** Whether {@link #lend} would find a slot. */
    synchronized boolean hasSlot() {
        return freeSlotCount != 0;
    }

    /**
     * What a record of ours has lent, if the peer has not given it back since. Another block may be under the same slot
     * by now, but then not of this place and length, or the record was read long ago.
     */
    synchronized @Nullable ByteBuf lent(long place, long slotWord) {
        ByteBuf block = slotWord >= 0 && slotWord < inFlight.length ? inFlight[(int) slotWord] : null;
        if (block == null || offsetOf(block) != (int) place || block.readableBytes() != place >>> 32) {
            return null;
        }
        return block.retainedSlice();
    }

    /** How many references are held for the peer. */
    int inFlight() {
        return inFlightCount;
    }

    /** Units that nobody uses. */
    synchronized int freeUnits() {
        return units.free();
    }

    /** Whether the peer has given something back. For the loop, which alone ends the pool: takes no lock. */
    boolean hasReturned() {
        return !ended && (int) INTS.getAcquire(mapping.memory(), nextReturn()) != 0;
    }

    private int nextReturn() {
        return returns + (returned & (freeSlots.length - 1)) * Integer.BYTES;
    }

    /**
     * The next reference that the peer has given back, which the caller releases, or null if there is none.
     *
     * @throws ProtocolMismatch if the peer gives back what it does not have
     */
    synchronized @Nullable ByteBuf nextReturned() {
        if (ended) {
            return null;
        }
        ByteBuffer memory = mapping.memory();
        int index = nextReturn();
        int entry = (int) INTS.getAcquire(memory, index);
        if (entry == 0) {
            return null;
        }
        int slot = entry - 1;
        ByteBuf block = slot >= 0 && slot < inFlight.length ? inFlight[slot] : null;
        if (block == null) {
            throw new ProtocolMismatch("the peer gives back the block " + slot + ", which it does not have");
        }
        INTS.setOpaque(memory, index, 0);
        returned++;
        inFlight[slot] = null;
        freeSlots[freeSlotCount++] = slot;
        inFlightCount--;
        return block;
    }

    /** For threads that can't end the link: what is wrong is left in its place for the loop to find. */
    private @Nullable ByteBuf nextReturnedOrNull() {
        try {
            return nextReturned();
        } catch (ProtocolMismatch e) {
            return null;
        }
    }

    /** No more blocks are made, and nothing is held for the peer any longer. Blocks that are out stay valid. */
    void end() {
        List<ByteBuf> held = new ArrayList<>();
        synchronized (this) {
            ended = true;
            for (int slot = 0; slot < inFlight.length; slot++) {
                ByteBuf block = inFlight[slot];
                if (block != null) {
                    held.add(block);
                    inFlight[slot] = null;
                }
            }
            inFlightCount = 0;
            freeSlotCount = 0;
        }
        held.forEach(ReferenceCountUtil::safeRelease);
    }

    /** A run of units that is taken. */
    final class Block implements Lease {

        private final int first;
        private final int count;

        private Block(int first, int count) {
            this.first = first;
            this.count = count;
        }

        /** Its first bytes. */
        ByteBuffer memory(int length) {
            return mapping.memory().slice(pool + first * UNIT, length);
        }

        long address() {
            return mapping.address() + pool + (long) first * UNIT;
        }

        @Override
        public void end() {
            give(first, count);
        }
    }
}
