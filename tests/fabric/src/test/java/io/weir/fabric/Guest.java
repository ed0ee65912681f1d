package io.weir.fabric;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** What {@code tests/fabric/run} does, from the side of the host. The module's folder is where the tests run. */
final class Guest {

    /** How {@code run} exits where there can be no guest. */
    private static final int NONE = 77;

    private static final int LAST_LINES = 60;

    /** A third of it is enough on a machine that has nothing else to do. */
    private static final String LIMIT_SECONDS = "1200";

    private static final Path RUN = Path.of("run").toAbsolutePath();
    private static final Path CONSOLE = Path.of("target", "guest-console.txt").toAbsolutePath();
    /** The guest's only folder of the host that it can write. */
    private static final Path WORK = Path.of("target", "guest").toAbsolutePath();

    private final int status;
    private final List<Outcome> outcomes;

    private Guest(int status, List<Outcome> outcomes) {
        this.status = status;
        this.outcomes = outcomes;
    }

    /** Why there can be no guest on this machine, if it is so. */
    static Optional<String> missing() throws IOException, InterruptedException {
        Process check = new ProcessBuilder(RUN.toString(), "--check")
                .redirectErrorStream(true)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return check.waitFor() == 0 ? Optional.empty() : Optional.of(said);
    }

    /** Boots a guest, runs all its tests, and returns when it has ended, in whatever way. */
    static Guest visit() throws IOException, InterruptedException {
        Files.createDirectories(WORK);
        Path written = WORK.resolve("outcomes.txt");
        Files.deleteIfExists(written);
        ProcessBuilder builder = new ProcessBuilder(command(written))
                .directory(WORK.toFile())
                .redirectErrorStream(true)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(CONSOLE.toFile());
        builder.environment().putIfAbsent("WEIR_GUEST_LIMIT", LIMIT_SECONDS);
        Process guest = builder.start();
        return new Guest(guest.waitFor(), read(written));
    }

    /** The plainest collector and compiler: an emulated processor has no time for better ones. */
    private static List<String> command(Path outcomes) {
        List<String> command = new ArrayList<>();
        // It ends with this JVM, even if that is killed.
        command.addAll(List.of("setpriv", "--pdeathsig", "TERM", RUN.toString()));
        // As ordinary users have it: a limit of locked memory holds, though there is none at first.
        command.addAll(List.of("setpriv", "--bounding-set", "-ipc_lock", "--inh-caps", "-ipc_lock"));
        command.add(System.getProperty("weir.test.java.home", System.getProperty("java.home")) + "/bin/java");
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m"));
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(settings());
        command.addAll(
                List.of("-Dweir.test.effort=5", "-Dweir.test.patience=90", "-Dweir.required.transports=verbs,dapl"));
        // Also of the processes that a sample starts, which are told what this one is told.
        command.addAll(List.of(
                "-Dweir.timeout.connect=90s",
                "-Dweir.timeout.handshake=90s",
                "-Dweir.timeout.head-start=90s",
                "-Dweir.timeout.step=15s"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(GuestMain.class.getName(), outcomes.toString()));
        return command;
    }

    /** What the build sets for the tests, and who started it. */
    private static List<String> settings() {
        Properties all = System.getProperties();
        return all.stringPropertyNames().stream()
                .filter(name -> name.startsWith("weir.") || name.startsWith("io.netty."))
                .sorted()
                .map(name -> "-D" + name + "=" + all.getProperty(name))
                .toList();
    }

    /** The last line may be half a line, if the guest has died. */
    private static List<Outcome> read(Path written) throws IOException {
        List<Outcome> outcomes = new ArrayList<>();
        if (Files.exists(written)) {
            String text = Files.readString(written);
            text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .map(Outcome::parse)
                    .forEach(outcomes::add);
        }
        return outcomes;
    }

    /** In the order in which they were written. */
    List<Outcome> outcomes() {
        return outcomes;
    }

    /** It could not be started after all: what it would take could not be installed. */
    boolean isNone() {
        return status == NONE && outcomes.isEmpty();
    }

    boolean hasRunToItsEnd() {
        return status == GuestMain.DONE;
    }

    /** Its exit status and the end of what stood on its console. */
    String lastWords() {
        try {
            List<String> lines = new String(Files.readAllBytes(CONSOLE), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            List<String> last = lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
            return "exit status " + status + ", and on its console, at the end:\n" + String.join("\n", last);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
