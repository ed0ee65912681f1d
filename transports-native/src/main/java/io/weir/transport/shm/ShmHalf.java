package io.weir.transport.shm;

import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.SlowCalls;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one side makes and passes to the other: the segment that it sends through. */
final class ShmHalf implements AutoCloseable {

    private final Segment segment;
    /** Of our own; null for the peer's, which is not our memory. */
    private final @Nullable Growth growth;

    private ShmHalf(Segment segment, @Nullable Growth growth) {
        this.segment = segment;
        this.growth = growth;
    }

    /**
     * Our own. Takes milliseconds, as the system clears the memory.
     *
     * @param most of the budget's memory that may be taken together with this
     */
    static ShmHalf make(SegmentLayout layout, MemoryBudget budget, long most) {
        Growth growth = Growth.begin(layout, budget, most);
        try {
            return new ShmHalf(Segment.begin(growth.file(), layout), growth);
        } catch (Throwable e) {
            growth.close();
            throw e;
        }
    }

    /** The peer's, checked. Takes over the descriptor, also when it fails. */
    static ShmHalf open(Descriptor file, SegmentLayout layout) {
        try {
            ShmHalf half = new ShmHalf(Segment.open(file, layout), null);
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

    /** How much memory our own has. */
    Growth growth() {
        return Objects.requireNonNull(growth, "the peer's memory is not ours to give");
    }

    /** Gives back everything; blocks that are out may hold the mapping for longer. */
    @Override
    public void close() {
        segment.mapping().release();
        if (growth != null) {
            growth.close();
        }
    }
}
