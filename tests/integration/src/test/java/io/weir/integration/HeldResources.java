package io.weir.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What this process holds of the system: numbers that must be the same before and after.
 *
 * @param descriptors sockets, event descriptors, memory files
 * @param mappings of memory that other processes may share
 * @param threads of Weir
 */
public record HeldResources(long descriptors, long mappings, long threads) {

    public static HeldResources now() {
        return new HeldResources(
                count(Path.of("/proc/self/fd")),
                lines(Path.of("/proc/self/maps")),
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("weir-")
                                // Shared by all nodes of the process, and gone after a minute.
                                && !thread.getName().startsWith("weir-keys"))
                        .count());
    }

    private static long count(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(HeldResources::target)
                    .filter(target -> target.startsWith("socket:")
                            || target.startsWith("anon_inode:")
                            || target.contains("memfd:"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            // Closed since the folder was read.
            return "";
        }
    }

    private static long lines(Path maps) {
        try (Stream<String> lines = Files.lines(maps)) {
            return lines.filter(line -> line.contains("/memfd:")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
