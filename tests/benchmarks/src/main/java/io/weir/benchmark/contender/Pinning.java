package io.weir.benchmark.contender;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Ties hot threads, and only them, to one processor: were the whole JVM tied, its compiler and collector would have to
 * share that processor with the measured thread.
 *
 * @param cpu the processor; negative leaves threads where they are
 */
record Pinning(int cpu) {

    private static final ThreadLocal<Boolean> PINNED = ThreadLocal.withInitial(() -> false);

    /** Ties the calling thread; a second call costs nothing. Threads that it starts later stay there too. */
    void pinHere() {
        if (cpu < 0 || PINNED.get()) {
            return;
        }
        try {
            // The link names the thread that reads it: "4711/task/4713".
            String thread = Files.readSymbolicLink(Path.of("/proc/thread-self"))
                    .getFileName()
                    .toString();
            run("taskset", "-p", "-c", Integer.toString(cpu), thread);
        } catch (IOException e) {
            throw new UncheckedIOException("This thread cannot be tied to processor " + cpu, e);
        }
        PINNED.set(true);
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
