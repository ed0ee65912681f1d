package io.weir.benchmark.contender;

import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * What this process holds and what could grow. Segments that it shares with others are not counted: they
 * have a size beyond which they never grow.
 *
 * @param heap bytes that the collector could not free
 * @param direct bytes of direct buffers, by the JDK and by Netty
 */
record Memory(long heap, long direct) {

    /** Collects all garbage first. */
    static Memory now() {
        System.gc();
        long jdk = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return new Memory(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                jdk + Math.max(0, PlatformDependent.usedDirectMemory()));
    }

    /** How much more this is; zero if it is less. */
    long since(Memory earlier) {
        return Math.max(0, heap - earlier.heap + direct - earlier.direct);
    }
}
