package io.weir.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A pipe and the number of its reading end, which Java does not tell.
 *
 * @param descriptor -1 where the system does not list descriptors
 */
record OpenPipe(Pipe pipe, int descriptor) implements AutoCloseable {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int WRITE_ONLY = 1;

    static OpenPipe open() throws IOException {
        List<Integer> before = pipes();
        Pipe pipe = Pipe.open();
        int descriptor = pipes().stream()
                .filter(number -> !before.contains(number) && !writes(number))
                .findFirst()
                .orElse(-1);
        return new OpenPipe(pipe, descriptor);
    }

    private static List<Integer> pipes() throws IOException {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.filter(OpenPipe::isPipe)
                    .map(descriptor -> Integer.valueOf(descriptor.getFileName().toString()))
                    .toList();
        }
    }

    private static boolean isPipe(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("pipe:");
        } catch (IOException e) {
            return false; // closed since
        }
    }

    private static boolean writes(int number) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/fdinfo/" + number))) {
            return lines.filter(line -> line.startsWith("flags:"))
                    .anyMatch(line -> (Integer.parseInt(line.substring(6).trim(), 8) & WRITE_ONLY) != 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        pipe.source().close();
        pipe.sink().close();
    }
}
