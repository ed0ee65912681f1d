package io.weir.simulator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Every buffer of one schedule: at its end all must have been released. */
final class Ledger {

    private record Entry(ByteBuf buffer, String what) {}

    private final List<Entry> entries = new ArrayList<>();
    private final long pooledBefore = pooled();

    /** A heap buffer that is looked at in the end. */
    ByteBuf buffer(ByteBufAllocator allocator, int size, String what) {
        ByteBuf buffer = allocator.buffer(Math.max(1, size));
        add(buffer, what);
        return buffer;
    }

    /** This buffer shall have been released in the end, whoever made it. */
    void add(ByteBuf buffer, String what) {
        if (buffer.maxCapacity() > 0) {
            entries.add(new Entry(buffer, what));
        }
    }

    /** The first one that was forgotten, or null. */
    @Nullable
    String forgotten() {
        for (Entry each : entries) {
            if (each.buffer.refCnt() != 0) {
                return each.what + " has " + each.buffer.refCnt() + " references";
            }
        }
        long pooledNow = pooled();
        return pooledNow == pooledBefore
                ? null
                : (pooledNow - pooledBefore) + " pooled buffers more than at the beginning are in use";
    }

    /** Where long messages are put together. The caller's thread has no cache of its own there. */
    private static long pooled() {
        long active = 0;
        for (PoolArenaMetric each : PooledByteBufAllocator.DEFAULT.metric().directArenas()) {
            active += each.numActiveAllocations();
        }
        return active;
    }
}
