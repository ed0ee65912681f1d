package io.weir.transport.nativelib;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the descriptors of this process stand for, also those of which nobody here knows. */
public final class OpenFiles {

    private OpenFiles() {}

    /** Such as {@code socket:[4711]} or {@code /memfd:name (deleted)}. */
    public static List<String> all() {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.map(OpenFiles::target).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            // Closed in the meantime, such as the one that lists the folder.
            return "";
        }
    }
}
