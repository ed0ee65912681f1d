package io.weir.fabric.guest;

import io.weir.test.EmulatedJob;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Another program of the guest. What it says is kept, for a failure to tell. */
final class Program implements AutoCloseable {

    private static final int LONGEST_WORD = 200;

    private final List<String> command;
    private final Path output;
    private final Process process;

    private Program(List<String> command, Map<String, String> environment, Redirect input) throws IOException {
        this.command = command;
        this.output = Files.createTempFile("program", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(input)
                .redirectOutput(output.toFile());
        builder.environment().putAll(EmulatedJob.placeOfChild());
        builder.environment().putAll(environment);
        this.process = builder.start();
    }

    static Program start(String... command) throws IOException {
        return start(List.of(command), Map.of());
    }

    /** With this beside our environment. */
    static Program start(List<String> command, Map<String, String> environment) throws IOException {
        return new Program(
                command, environment, Redirect.from(Path.of("/dev/null").toFile()));
    }

    /** As above, with a standard input that lasts until {@link #leave}. */
    static Program serve(List<String> command, Map<String, String> environment) throws IOException {
        return new Program(command, environment, Redirect.PIPE);
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

    /** What stands behind these words in the first line that begins with them, as soon as it is there as a whole. */
    String says(String words) throws IOException, InterruptedException {
        Program unused = until("says " + words, () -> behind(words).isPresent());
        return behind(words).orElseThrow();
    }

    private Optional<String> behind(String words) throws IOException {
        return all(words).findFirst();
    }

    /** What stands behind these words in the last line so far that begins with them. */
    Optional<String> lastSaid(String words) throws IOException {
        return all(words).reduce((one, other) -> other);
    }

    private Stream<String> all(String words) throws IOException {
        String said = said();
        return said.substring(0, said.lastIndexOf('\n') + 1)
                .lines()
                .filter(line -> line.startsWith(words))
                .map(line -> line.substring(words.length()).strip());
    }

    private Program until(String what, Patience.Sight sight) throws IOException, InterruptedException {
        try {
            Patience.until(() -> name() + " " + what, () -> {
                // Asked first: it may have ended after it was as wanted.
                boolean alive = process.isAlive();
                boolean seen = sight.seen();
                if (!seen && !alive) {
                    throw failure("has ended before it " + what);
                }
                return seen;
            });
            return this;
        } catch (AssertionError e) {
            String said = said();
            // Nobody else has it yet.
            close();
            throw new AssertionError(e.getMessage() + "; so far it said:\n" + said, e);
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

    /** Ends its standard input, and waits for its end, which must be a good one. */
    String leave() throws IOException, InterruptedException {
        process.getOutputStream().close();
        return succeed();
    }

    /** Those of its descriptors that are sockets. */
    long sockets() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            return descriptors.filter(Program::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }

    /** Without a warning. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
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

    /** All of it so far. */
    String said() throws IOException {
        return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
    }

    private AssertionError failure(String what) throws IOException {
        return new AssertionError(name() + " " + what + "; it said:\n" + said());
    }

    /** The command without what nobody would read, such as a class path. */
    private String name() {
        return command.stream()
                .map(word -> word.length() > LONGEST_WORD ? "…" : word)
                .collect(Collectors.joining(" "));
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroyForcibly().waitFor();
        Files.deleteIfExists(output);
    }
}
