package io.weir.benchmark.contender;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What this process holds: live objects, memory outside of the heap, and pages that it shares with others.
 *
 * @param heap bytes that the collector could not free
 * @param direct bytes of direct buffers, by the JDK and by Netty
 * @param shared bytes of shared memory that were touched
 */
record Memory(long heap, long direct, long shared) {

    private static final String SHARED = "RssShmem:";

    /** Collects all garbage first. */
    static Memory now() {
        System.gc();
        long jdk = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return new Memory(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                jdk + Math.max(0, PlatformDependent.usedDirectMemory()),
                sharedBytes());
    }

    /** How much more this is; zero if it is less. */
    long since(Memory earlier) {
        return Math.max(0, heap - earlier.heap + direct - earlier.direct + shared - earlier.shared);
    }

    private static long sharedBytes() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith(SHARED))
                    .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException("The shared memory of this process cannot be read.", e);
        }
    }
}
