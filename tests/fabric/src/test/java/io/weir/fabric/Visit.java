package io.weir.fabric;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** A JVM somewhere else, in which tests of this module were run, and what came of them. */
final class Visit {

    /** The guest takes some seven minutes on two processors. */
    private static final Duration LONGEST = Duration.ofMinutes(25);

    private static final int LAST_LINES = 60;

    private final int status;
    private final Duration took;
    private final List<Outcome> outcomes;
    private final Path console;

    private Visit(int status, Duration took, List<Outcome> outcomes, Path console) {
        this.status = status;
        this.took = took;
        this.outcomes = outcomes;
        this.console = console;
    }

    /**
     * Runs the tests, and returns when the JVM has ended, in whatever way.
     *
     * @param place the command that leads there; the JVM's follows
     * @param options of the JVM, and properties
     * @param classes a pattern for the full names of the classes
     * @param name of the visit, and of the files that it leaves behind
     */
    static Visit pay(
            List<String> place, List<String> options, String classes, String name, Map<String, String> environment)
            throws IOException, InterruptedException {
        return pay(place, options, System.getProperty("java.class.path"), classes, name, environment);
    }

    /** The same with another class path than ours. */
    static Visit pay(
            List<String> place,
            List<String> options,
            String classPath,
            String classes,
            String name,
            Map<String, String> environment)
            throws IOException, InterruptedException {
        Path work = Path.of("target", name).toAbsolutePath();
        Path console = Path.of("target", name + "-console.txt").toAbsolutePath();
        Files.createDirectories(work);
        Path written = work.resolve("outcomes.txt");
        Files.deleteIfExists(written);
        List<String> command = new ArrayList<>(place);
        command.add(System.getProperty("weir.test.java.home", System.getProperty("java.home")) + "/bin/java");
        command.add("--enable-native-access=ALL-UNNAMED");
        String compilers = System.getProperty("weir.test.compilers", "");
        if (!compilers.isEmpty()) {
            command.add(compilers);
        }
        command.addAll(settings());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        command.addAll(List.of(VisitMain.class.getName(), written.toString(), classes));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(work.toFile())
                .redirectErrorStream(true)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(console.toFile());
        environment.forEach(builder.environment()::putIfAbsent);
        long begin = System.nanoTime();
        Process visit = builder.start();
        try {
            if (!visit.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
                Files.writeString(console, "ended from outside after " + LONGEST, StandardOpenOption.APPEND);
            }
        } finally {
            // A guest is a process of the one that was started.
            visit.descendants().forEach(ProcessHandle::destroyForcibly);
            var unused = visit.destroyForcibly();
        }
        int status = visit.waitFor();
        return new Visit(status, Duration.ofNanos(System.nanoTime() - begin), read(written), console);
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

    /** The last line may be half a line, if the JVM has died. */
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

    int status() {
        return status;
    }

    Duration took() {
        return took;
    }

    /** In the order in which they were written. */
    List<Outcome> outcomes() {
        return outcomes;
    }

    boolean hasRunToItsEnd() {
        return status == VisitMain.DONE;
    }

    /** Its exit status and the end of what stood on its console. */
    String lastWords() {
        List<String> lines = lines();
        List<String> last = lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
        return "exit status " + status + ", and on its console, at the end:\n" + String.join("\n", last);
    }

    /** What stood on its console. */
    List<String> lines() {
        try {
            return new String(Files.readAllBytes(console), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
