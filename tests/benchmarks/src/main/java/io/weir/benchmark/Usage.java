package io.weir.benchmark;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process has used up to now, with its direct children.
 *
 * @param cpuNanos processor time
 * @param switches how often its threads gave up a processor of their own will
 * @param rssBytes memory that is resident now, of the process alone
 */
record Usage(long cpuNanos, long switches, long rssBytes) {

    /** Nothing, for a process that has just ended. */
    static final Usage NONE = new Usage(0, 0, 0);

    /** Nothing but zeros when there is no such process any more. */
    static Usage of(long pid) {
        Usage sum = ofProcess(pid);
        for (String child : words(task(pid, pid).resolve("children"))) {
            Usage used = ofProcess(Long.parseLong(child));
            sum = new Usage(sum.cpuNanos + used.cpuNanos, sum.switches + used.switches, sum.rssBytes);
        }
        return sum;
    }

    Usage since(Usage earlier) {
        return new Usage(cpuNanos - earlier.cpuNanos, switches - earlier.switches, rssBytes);
    }

    private static Usage ofProcess(long pid) {
        long cpuNanos = 0;
        long switches = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                String[] scheduled = words(thread.resolve("schedstat"));
                cpuNanos += scheduled.length == 0 ? 0 : Long.parseLong(scheduled[0]);
                switches += status(thread, "voluntary_ctxt_switches:");
            }
        } catch (IOException e) {
            return NONE;
        }
        return new Usage(cpuNanos, switches, 1024 * status(task(pid, pid), "VmRSS:"));
    }

    private static Path task(long pid, long thread) {
        return Path.of("/proc", Long.toString(pid), "task", Long.toString(thread));
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
