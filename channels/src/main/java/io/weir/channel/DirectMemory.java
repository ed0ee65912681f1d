package io.weir.channel;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * Whether the JVM has direct memory left. One that has none waits for its garbage collector, half a second at a time,
 * in the thread that asks for some: a loop must not ask then.
 */
final class DirectMemory {

    private static final long MAX = PlatformDependent.estimateMaxDirectMemory();

    private static final @Nullable BufferPoolMXBean POOL =
            ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(pool -> pool.getName().equals("direct"))
                    .findFirst()
                    .orElse(null);

    private DirectMemory() {}

    /** What a node may keep for others if it was configured in this way; 0: in none. */
    static long bound(long configured) {
        return configured == 0 ? Math.min(MAX, Runtime.getRuntime().maxMemory()) / 2 : configured;
    }

    /** Whether a buffer of this length can be had from Netty's pool without waiting. */
    static boolean hasRoom(int length) {
        PooledByteBufAllocator pool = PooledByteBufAllocator.DEFAULT;
        long left = MAX - used();
        int chunk = pool.metric().chunkSize();
        if (left >= Math.max(length, chunk)) {
            return true;
        }
        // What the pool has already, in pieces: surely enough if it is several times as much.
        return length <= chunk / 2 && pool.metric().usedDirectMemory() - pool.pinnedDirectMemory() > 4L * length;
    }

    private static long used() {
        // Netty counts by itself what it takes from the system without the JVM.
        long netty = PlatformDependent.usedDirectMemory();
        return Math.max(netty, POOL == null ? 0 : POOL.getMemoryUsed());
    }
}
