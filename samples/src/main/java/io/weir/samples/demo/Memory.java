package io.weir.samples.demo;

import io.weir.core.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * What a process holds.
 *
 * @param heap bytes of objects on the heap, after a collection
 * @param peak bytes of physical memory that it has held at most since it started, shared memory included; -1 where the
 *     system does not tell
 */
record Memory(long heap, long peak) {

    private static final Path STATUS = Path.of("/proc/self/status");

    /** Of this process, now. */
    static Memory now() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return new Memory(runtime.totalMemory() - runtime.freeMemory(), peakNow());
    }

    private static long peakNow() {
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .map(line -> line.replaceAll("\\D", ""))
                    .mapToLong(kibibytes -> Long.parseLong(kibibytes) << 10)
                    .findFirst()
                    .orElse(-1);
        } catch (IOException e) {
            return -1;
        }
    }

    Message toMessage() {
        return Message.of("").with("heap", Long.toString(heap)).with("peak", Long.toString(peak));
    }

    /** Releases the message. */
    static Memory of(Message message) {
        message.release();
        return new Memory(number(message, "heap"), number(message, "peak"));
    }

    private static long number(Message message, String key) {
        return Long.parseLong(Objects.requireNonNull(message.control().get(key), key));
    }

    /** What has changed since then, for people. */
    String since(Memory before) {
        String resident = peak < 0
                ? ""
                : "at most " + Units.megabytes(Math.max(peak, before.peak)) + " resident (before the stream "
                        + Units.megabytes(before.peak) + "), ";
        return resident + Units.megabytes(heap) + " of heap in use after it";
    }
}
