package io.weir.benchmark;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Where the files of a run are while it runs; nothing of it is left, unless this process is killed. */
final class Workplace implements AutoCloseable {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final Path programs;
    private final Path shared;
    private final Thread atExit = new Thread(this::delete, "bench-delete");

    private Workplace(Path programs, Path shared) {
        this.programs = programs;
        this.shared = shared;
    }

    static Workplace create() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Path programs = Files.createTempDirectory(temporary, "weir-benchmark-");
        Path shared = Files.createTempDirectory(
                Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : temporary, "weir-benchmark-");
        Workplace made = new Workplace(programs, shared);
        Runtime.getRuntime().addShutdownHook(made.atExit);
        return made;
    }

    /** For what is to be executed, which shared memory may forbid. */
    Path programs() {
        return programs;
    }

    /** In memory, for files that processes share. */
    Path shared() {
        return shared;
    }

    @Override
    public void close() {
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook runs.
            return;
        }
    }

    private void delete() {
        delete(programs);
        delete(shared);
    }

    private static void delete(Path folder) {
        if (Files.notExists(folder)) {
            return;
        }
        try {
            Files.walkFileTree(folder, new Deletion());
        } catch (IOException e) {
            System.err.println(folder + " was not removed: " + e.getMessage());
        }
    }

    private static final class Deletion extends SimpleFileVisitor<Path> {

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }
}
