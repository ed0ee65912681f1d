package io.weir.samples.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process whose output is ours. */
public final class Followed {

    private static final long KINDLY_SECONDS = 10;

    private Followed() {}

    /**
     * Prints what it prints, until it has ended.
     *
     * @return its exit code
     * @throws ProgramFailed if we are interrupted; it is ended then
     */
    public static int follow(Process process, PrintWriter out, PrintWriter err) {
        List<Thread> readers = List.of(
                copy(process.inputReader(StandardCharsets.UTF_8), out),
                copy(process.errorReader(StandardCharsets.UTF_8), err));
        try {
            int code = process.waitFor();
            for (Thread each : readers) {
                each.join();
            }
            return code;
        } catch (InterruptedException e) {
            end(process);
            Thread.currentThread().interrupt();
            throw new ProgramFailed("Interrupted while a process was running.", e);
        }
    }

    private static Thread copy(BufferedReader from, PrintWriter to) {
        Thread reader = new Thread(
                () -> from.lines().forEach(line -> {
                    to.println(line);
                    to.flush();
                }),
                "output");
        reader.setDaemon(true);
        reader.start();
        return reader;
    }

    /** Kindly, by the end of its input, so that it ends those that it has started; then by force. */
    private static void end(Process process) {
        try {
            process.getOutputStream().close();
            if (process.waitFor(KINDLY_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (IOException | InterruptedException e) {
            // There is no kind way left.
        }
        process.destroyForcibly();
    }
}
