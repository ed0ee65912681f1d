package io.weir.hostile;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A JVM of its own, which is spoken with in lines. */
final class Program implements AutoCloseable {

    private static final long LIMIT_SECONDS = 60;
    private static final String END = "the program has ended";

    private static final int LAST_LINES = 100;

    private final String name;
    private final Path log;
    private final Process process;
    private final BufferedWriter input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    /** What it says to standard error goes to {@code target/NAME-FORK.log}. */
    Program(String name, Class<?> main, List<String> jvm, List<String> arguments) throws IOException {
        this.name = name;
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("weir.test.java.home", System.getProperty("java.home")), "bin", "java")
                .toString());
        command.addAll(jvm);
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(main.getName());
        command.addAll(arguments);
        log = Path.of("target", name + "-" + System.getProperty("weir.hostile.fork", "1") + ".log");
        Files.createDirectories(Path.of("target"));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        input = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, name + "-lines");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            output.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException broken) {
            lines.add(END + ": " + broken);
        }
        lines.add(END);
    }

    void say(String command) throws IOException {
        input.write(command);
        input.newLine();
        input.flush();
    }

    /** The rest of the next line, which has to begin with this word. */
    String hear(String word) throws InterruptedException {
        String line = lines.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (line == null) {
            throw new AssertionError(name + " has not said \"" + word + "\" in " + LIMIT_SECONDS + " s");
        }
        if (!line.startsWith(word)) {
            throw new AssertionError(name + " was to say \"" + word + "\", and said \"" + line + "\"; see " + log);
        }
        return line.substring(word.length()).strip();
    }

    /** The last lines that it has said to standard error. */
    String log() throws IOException {
        List<String> all = new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                .lines()
                .toList();
        return String.join("\n", all.subList(Math.max(0, all.size() - LAST_LINES), all.size()));
    }

    void signal(String name) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("kill has ended with " + status);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() throws Exception {
        process.destroyForcibly();
        process.waitFor();
        input.close();
    }
}
