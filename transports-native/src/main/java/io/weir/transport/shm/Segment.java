package io.weir.transport.shm;

import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import java.nio.ByteBuffer;

/**
 * The memory of one direction in our address space.
 *
 * @param layout where everything lies in it
 * @param mapping the caller is its first holder
 */
record Segment(SegmentLayout layout, Mapping mapping) {

    /** Memory for what we send: allocated, zero, and of a fixed length for ever. Takes milliseconds. */
    static Descriptor allocate(SegmentLayout layout) {
        return allocate(layout, layout.ringSize(), layout.poolSize());
    }

    /** As {@link #allocate(SegmentLayout)}, but only so many bytes of ring and pool have memory yet. */
    static Descriptor allocate(SegmentLayout layout, int ring, int pool) {
        try {
            Descriptor file = Posix.memoryFile("weir-shm", layout.length());
            try {
                Posix.allocate(file, 0, layout.ring() + ring);
                Posix.allocate(file, layout.pool(), pool);
                Posix.seal(file);
                return file;
            } catch (NativeFailure e) {
                file.close();
                throw e;
            }
        } catch (NativeFailure e) {
            throw new PeerUnavailable(
                    "no shared memory of " + layout.length() + " bytes: " + e.getMessage()
                            + "; free memory or raise this process's limit, or set weir.transport.shm.pool-size lower",
                    e);
        }
    }

    /** Maps what we {@link #allocate allocated} and writes its header. The descriptor stays the caller's. */
    static Segment begin(Descriptor file, SegmentLayout layout) {
        try {
            Segment segment = new Segment(layout, Posix.map(file, layout.length()));
            ByteBuffer memory = segment.mapping.memory();
            SegmentLayout.LONGS.set(memory, SegmentLayout.SIZES, layout.sizes());
            SegmentLayout.LONGS.setRelease(memory, 0, SegmentLayout.MAGIC);
            return segment;
        } catch (NativeFailure e) {
            throw new PeerUnavailable("our shared memory can't be mapped: " + e.getMessage(), e);
        }
    }

    /**
     * Maps the memory that the peer sends through, after checking that it can't shrink under us and is what was agreed.
     * The descriptor stays the caller's.
     */
    static Segment open(Descriptor file, SegmentLayout layout) {
        try {
            if (!Posix.isSealed(file)) {
                throw new ProtocolMismatch("the peer's shared memory is not sealed against shrinking and growing");
            }
            long length = Posix.length(file);
            if (length != layout.length()) {
                throw new ProtocolMismatch(
                        "the peer's shared memory has " + length + " bytes where " + layout.length() + " were agreed");
            }
            Segment segment = new Segment(layout, Posix.map(file, layout.length()));
            try {
                segment.checkHeader();
                return segment;
            } catch (WeirException e) {
                segment.mapping.release();
                throw e;
            }
        } catch (NativeFailure e) {
            throw new PeerUnavailable("the peer's shared memory can't be mapped: " + e.getMessage(), e);
        }
    }

    private void checkHeader() {
        ByteBuffer memory = mapping.memory();
        long magic = (long) SegmentLayout.LONGS.getAcquire(memory, 0);
        if (magic != SegmentLayout.MAGIC) {
            throw new ProtocolMismatch("the peer's shared memory begins with " + Long.toHexString(magic)
                    + " instead of " + Long.toHexString(SegmentLayout.MAGIC));
        }
        long sizes = (long) SegmentLayout.LONGS.getAcquire(memory, SegmentLayout.SIZES);
        if (sizes != layout.sizes()) {
            throw new ProtocolMismatch("the peer's shared memory says ring " + (int) sizes + " and pool "
                    + (sizes >>> 32) + " where " + layout.ringSize() + " and " + layout.poolSize() + " were agreed");
        }
    }
}
