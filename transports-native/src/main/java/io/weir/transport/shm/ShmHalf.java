package io.weir.transport.shm;

import io.weir.core.WeirException;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.SlowCalls;
import org.jspecify.annotations.Nullable;

/** What one side makes and passes to the other: the segment that it sends through. */
final class ShmHalf implements AutoCloseable {

    private final Descriptor file;
    private final Segment segment;
    /** Has what our own takes of the budget; null for the peer's, which is not our memory. */
    private final MemoryBudget.@Nullable Share share;

    private ShmHalf(Descriptor file, Segment segment, MemoryBudget.@Nullable Share share) {
        this.file = file;
        this.segment = segment;
        this.share = share;
    }

    /**
     * Our own. Takes milliseconds, as the system clears the memory.
     *
     * @param most of the budget's memory that may be taken together with this
     */
    static ShmHalf make(SegmentLayout layout, MemoryBudget budget, long most) {
        MemoryBudget.Share share = budget.take(layout.length(), most);
        try {
            Descriptor file = Segment.allocate(layout);
            try {
                return new ShmHalf(file, Segment.begin(file, layout), share);
            } catch (WeirException e) {
                file.close();
                throw e;
            }
        } catch (Throwable e) {
            share.give();
            throw e;
        }
    }

    /** The peer's, checked. Takes over the descriptor, also when it fails. */
    static ShmHalf open(Descriptor file, SegmentLayout layout) {
        try {
            ShmHalf half = new ShmHalf(file, Segment.open(file, layout), null);
            file.close();
            return half;
        } catch (Throwable e) {
            // It may be anything.
            SlowCalls.close(file);
            throw e;
        }
    }

    Segment segment() {
        return segment;
    }

    /** The segment's file, to be passed and then closed. */
    Descriptor file() {
        return file;
    }

    /** Gives back everything; blocks that are out may hold the mapping for longer. */
    @Override
    public void close() {
        file.close();
        segment.mapping().release();
        if (share != null) {
            share.give();
        }
    }
}
