package io.weir.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What all processors of this host together have done up to a moment.
 *
 * @param atNanos when, as {@link System#nanoTime()}
 * @param busyNanos time in programs and on their behalf; without interrupts, which nobody's account shows
 * @param stolenNanos time that the hypervisor gave to others
 */
record HostLoad(long atNanos, long busyNanos, long stolenNanos) {

    private static final Path STAT = Path.of("/proc/stat");
    /** The kernel tells these times in hundredths of a second, on every platform. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final double QUIET_CORES = 0.1;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final int USER = 1;
    private static final int NICE = 2;
    private static final int SYSTEM = 3;
    private static final int STEAL = 8;

    static HostLoad now() {
        try {
            String all = Files.readAllLines(STAT).get(0);
            String[] ticks = all.split("\\s+", -1);
            return new HostLoad(
                    System.nanoTime(),
                    (ticks(ticks, USER) + ticks(ticks, NICE) + ticks(ticks, SYSTEM)) * TICK_NANOS,
                    ticks(ticks, STEAL) * TICK_NANOS);
        } catch (IOException e) {
            throw new UncheckedIOException("The load of this host cannot be read.", e);
        }
    }

    /** Waits until hardly anybody uses a processor, or this long; whether it is quiet. */
    static boolean awaitQuiet(Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        HostLoad before = now();
        while (before.atNanos() - end < 0) {
            TimeUnit.NANOSECONDS.sleep(LOOK_NANOS);
            HostLoad after = now();
            HostLoad load = after.since(before);
            if (load.busyNanos() < QUIET_CORES * load.atNanos()) {
                return true;
            }
            before = after;
        }
        return false;
    }

    HostLoad since(HostLoad earlier) {
        return new HostLoad(
                atNanos - earlier.atNanos, busyNanos - earlier.busyNanos, stolenNanos - earlier.stolenNanos);
    }

    private static long ticks(String[] line, int field) {
        return Long.parseLong(line[field]);
    }
}
