package io.weir.transport.shm;

import io.weir.core.WeirException;
import io.weir.transport.nativelib.Descriptor;
import org.jspecify.annotations.Nullable;

/** What one side makes and passes to the other: the segment that it sends through and the doorbell that wakes it. */
final class ShmHalf implements AutoCloseable {

    private final Descriptor file;
    private final Segment segment;
    private final Doorbell doorbell;
    /** Has what our own takes of the budget; null for the peer's, which is not our memory. */
    private final MemoryBudget.@Nullable Share share;

    private ShmHalf(Descriptor file, Segment segment, Doorbell doorbell, MemoryBudget.@Nullable Share share) {
        this.file = file;
        this.segment = segment;
        this.doorbell = doorbell;
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
                Segment segment = Segment.begin(file, layout);
                try {
                    return new ShmHalf(file, segment, Doorbell.make(), share);
                } catch (WeirException e) {
                    segment.mapping().release();
                    throw e;
                }
            } catch (WeirException e) {
                file.close();
                throw e;
            }
        } catch (Throwable e) {
            share.give();
            throw e;
        }
    }

    /** The peer's, checked. Takes over both descriptors, also when it fails. */
    static ShmHalf open(Descriptor file, Descriptor event, SegmentLayout layout) {
        try (file) {
            Doorbell doorbell = Doorbell.of(event);
            try {
                return new ShmHalf(file, Segment.open(file, layout), doorbell, null);
            } catch (WeirException e) {
                doorbell.close();
                throw e;
            }
        }
    }

    Segment segment() {
        return segment;
    }

    Doorbell doorbell() {
        return doorbell;
    }

    /** The segment's file, to be passed and then closed. */
    Descriptor file() {
        return file;
    }

    /** Gives back everything; blocks that are out may hold the mapping for longer. */
    @Override
    public void close() {
        file.close();
        doorbell.close();
        segment.mapping().release();
        if (share != null) {
            share.give();
        }
    }
}
