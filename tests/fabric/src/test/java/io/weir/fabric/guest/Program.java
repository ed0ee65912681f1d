package io.weir.fabric.guest;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another program of the guest. What it says is kept, for a failure to tell. */
final class Program implements AutoCloseable {

    private final List<String> command;
    private final Path output;
    private final Process process;

    private Program(List<String> command) throws IOException {
        this.command = command;
        this.output = Files.createTempFile("program", ".txt");
        this.process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile())
                .start();
    }

    static Program start(String... command) throws IOException {
        return new Program(List.of(command));
    }

    /** Runs it to its end, which must be a good one, and returns what it has said. */
    static String run(String... command) throws IOException, InterruptedException {
        try (Program program = start(command)) {
            return program.succeed();
        }
    }

    /** Returns when something listens at this TCP port, which only this program can be. */
    Program listensAt(int port) throws IOException, InterruptedException {
        return until("listens at port " + port, () -> isListening(port));
    }

    /** Returns when something listens at this port of librdmacm, which the kernel has a list of its own for. */
    Program listensByRdmaAt(int port) throws IOException, InterruptedException {
        return until(
                "listens by RDMA at port " + port,
                () -> Program.run("rdma", "resource", "show", "cm_id")
                        .lines()
                        .anyMatch(line -> line.contains("state LISTEN") && line.matches(".*:" + port + "\\b.*")));
    }

    private Program until(String what, Patience.Sight sight) throws IOException, InterruptedException {
        try {
            Patience.until(() -> String.join(" ", command) + " " + what, () -> {
                if (!process.isAlive()) {
                    throw failure("has ended before it " + what);
                }
                return sight.seen();
            });
            return this;
        } catch (AssertionError e) {
            // Nobody else has it yet.
            close();
            throw e;
        }
    }

    /** Waits for its end, which must be a good one, and returns what it has said. */
    String succeed() throws IOException, InterruptedException {
        if (!process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw failure("does not end within " + Patience.LIMIT.toSeconds() + " s");
        }
        if (process.exitValue() != 0) {
            throw failure("has ended with status " + process.exitValue());
        }
        return said();
    }

    /** In {@code /proc/net/tcp}: the local address and port, the remote ones, and the state, where 0A is listening. */
    private static boolean isListening(int port) throws IOException {
        String listening = String.format("[0-9A-F]+:%04X [0-9A-F]+:0000 0A .*", port);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (Files.readAllLines(Path.of(table)).stream()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .anyMatch(line -> line.matches(listening))) {
                return true;
            }
        }
        return false;
    }

    private String said() throws IOException {
        return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
    }

    private AssertionError failure(String what) throws IOException {
        return new AssertionError(String.join(" ", command) + " " + what + "; it said:\n" + said());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroyForcibly().waitFor();
        Files.delete(output);
    }
}
