package io.weir.integration;

import io.weir.core.PeerAddress;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Another process, on the test's own JVM and class path. It says READY when it is, ends when its standard input does,
 * and is killed when this is closed: so none is orphaned, whatever becomes of the test.
 */
public final class Child implements AutoCloseable {

    private static final String READY = "READY";

    private final Process process;
    /** Its run-time folder, which it can't remove when it is killed. */
    private final Path folder;

    private final Thread reader;
    private final List<String> said = new ArrayList<>();
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile String greeting = "";

    private Child(Process process, Path folder) {
        this.process = process;
        this.folder = folder;
        this.reader = new Thread(this::read, "output of child " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts this class, whose {@code main} prints READY, and waits until it does. */
    public static Child start(Class<?> main, String... arguments) {
        return start(List.of(), main, arguments);
    }

    /** As above, behind this command, such as {@code taskset -c 0}. */
    public static Child start(List<String> before, Class<?> main, String... arguments) {
        Path folder = newFolder();
        List<String> command = new ArrayList<>(before);
        command.add(System.getProperty("weir.test.java.home", System.getProperty("java.home")) + "/bin/java");
        command.add("-Xmx256m");
        String compilers = System.getProperty("weir.test.compilers", "");
        if (!compilers.isEmpty()) {
            command.add(compilers);
        }
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-Dio.netty.leakDetection.level=paranoid");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put(Route.FOLDER, folder.toString());
            Child child = new Child(builder.start(), folder);
            child.awaitReady();
            return child;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path newFolder() {
        try {
            return Files.createTempDirectory("weir-it");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitReady() {
        try {
            Patience.await("the child is ready", ready);
            if (greeting.isEmpty()) {
                throw new AssertionError("the child has ended before it was ready");
            }
        } catch (AssertionError e) {
            close();
            throw new AssertionError(e.getMessage() + "; it said:\n" + said(), e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line; (line = lines.readLine()) != null; ) {
                synchronized (said) {
                    said.add(line);
                }
                if (line.startsWith(READY)) {
                    greeting = line;
                    ready.countDown();
                }
            }
        } catch (IOException e) {
            // It was killed.
        } finally {
            ready.countDown();
        }
    }

    /** Where the child listens, as it has said. */
    public PeerAddress address() {
        return PeerAddress.parse(greeting.substring(READY.length()).strip());
    }

    long pid() {
        return process.pid();
    }

    /** Everything that it has printed. */
    public String said() {
        synchronized (said) {
            return String.join("\n", said);
        }
    }

    /** Kills it without a warning, and waits until the kernel has cleared up. */
    public void kill() {
        process.destroyForcibly();
        exitCode();
    }

    /** Sends a signal such as STOP or CONT. */
    public void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.to(new File("/dev/null")))
                    .start();
            if (kill.waitFor() != 0) {
                throw new AssertionError("kill -" + name + " failed");
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Ends its standard input, so that it ends by itself, and yields its exit code. */
    public int leave() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended already.
        }
        return exitCode();
    }

    /** Waits until it has ended. */
    public int exitCode() {
        return exitCode(0);
    }

    /** As above, with this much more patience. */
    public int exitCode(long seconds) {
        try {
            if (!process.waitFor(3 * Patience.LIMIT.toSeconds() + seconds, TimeUnit.SECONDS)) {
                throw new AssertionError("the child does not end; it said:\n" + said());
            }
            reader.join(Patience.LIMIT.toMillis());
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
            reader.join();
            process.getOutputStream().close();
            removeFolder();
        } catch (InterruptedException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private void removeFolder() throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
