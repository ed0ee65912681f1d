package io.weir.benchmark;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What a process has used up to now.
 *
 * @param cpuNanos processor time, with that of its children
 * @param switches how often a thread went to sleep of its own will, by thread
 * @param rssBytes memory that is resident now
 */
record Usage(long cpuNanos, Map<String, Long> switches, long rssBytes) {

    /** The kernel tells these times in hundredths of a second, on every platform. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** In the part of /proc/pid/stat behind the program's name, which may contain anything. */
    private static final int USER = 11;

    private static final int CHILDRENS_SYSTEM = 14;

    /** Nothing but zeros when there is no such process any more. */
    static Usage of(long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        long ticks = ticks(pid);
        for (String child : words(process.resolve("task/" + pid + "/children"))) {
            ticks += ticks(Long.parseLong(child));
        }
        return new Usage(ticks * TICK_NANOS, switches(process), 1024 * status(process, "VmRSS:"));
    }

    /** How often its threads went to sleep since then; those that have ended are not counted. */
    long switchesSince(Usage earlier) {
        return switches.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - earlier.switches.getOrDefault(thread.getKey(), 0L))
                .sum();
    }

    long cpuNanosSince(Usage earlier) {
        return cpuNanos - earlier.cpuNanos;
    }

    /** Of all its threads, also those that have ended, and of the children that it has waited for. */
    private static long ticks(long pid) {
        String[] words = words(Path.of("/proc", Long.toString(pid), "stat"));
        int name = 0;
        for (int i = 0; i < words.length; i++) {
            name = words[i].endsWith(")") ? i : name;
        }
        long ticks = 0;
        for (int i = name + 1 + USER; i <= name + 1 + CHILDRENS_SYSTEM && i < words.length; i++) {
            ticks += Long.parseLong(words[i]);
        }
        return ticks;
    }

    private static Map<String, Long> switches(Path process) {
        Map<String, Long> switches = new HashMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path thread : threads) {
                switches.put(thread.getFileName().toString(), status(thread, "voluntary_ctxt_switches:"));
            }
        } catch (IOException e) {
            // The process has ended, and its failure is told by its end.
            return Map.of();
        }
        return switches;
    }

    private static long status(Path thread, String key) {
        String[] words = words(thread.resolve("status"));
        for (int i = 0; i < words.length - 1; i++) {
            if (words[i].equals(key)) {
                return Long.parseLong(words[i + 1]);
            }
        }
        return 0;
    }

    /** None when the file has gone, because the thread has. */
    private static String[] words(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.isEmpty() ? new String[0] : text.split("\\s+", -1);
        } catch (IOException e) {
            return new String[0];
        }
    }
}
