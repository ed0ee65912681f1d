package io.weir.benchmark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A measured process and the lines exchanged with it. Its standard error is ours. */
final class ChildProcess implements AutoCloseable {

    /** Stands in the queue behind the last line. */
    private static final String ENDED = "";

    private static final Duration FAREWELL = Duration.ofSeconds(4);

    private final String name;
    private final Process process;
    private final PrintStream commands;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final Thread killer;

    private ChildProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        // Closing its input would do, unless it hangs.
        this.killer = new Thread(process::destroyForcibly);
    }

    /** Starts it; whether it is any good is told by its first line. */
    static ChildProcess start(String name, List<String> command) throws IOException {
        ChildProcess child = new ChildProcess(
                name,
                new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
        Runtime.getRuntime().addShutdownHook(child.killer);
        Thread reader = new Thread(child::read, name + "-answers");
        reader.setDaemon(true);
        reader.start();
        return child;
    }

    long pid() {
        return process.pid();
    }

    void send(String command) {
        commands.println(command);
    }

    /**
     * What follows this word in the next line.
     *
     * @throws ChildFailed if another line comes, the process ends or takes longer
     */
    String await(String word, Duration patience) throws InterruptedException {
        String line = answers.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
        if (line == null) {
            throw new ChildFailed(name + " did not say " + word + " within " + patience.toSeconds() + " s.");
        }
        if (line.equals(word)) {
            return "";
        }
        if (line.startsWith(word + ' ')) {
            return line.substring(word.length() + 1);
        }
        throw new ChildFailed(
                line.equals(ENDED) ? name + " has ended; expected " + word + '.' : name + " said: " + line);
    }

    /** Ends the process: by the end of its input, and if it does not obey, by force. */
    @Override
    public void close() {
        commands.close();
        try {
            if (!process.waitFor(FAREWELL.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook runs.
            process.destroyForcibly();
        }
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            answers.add("FAILED " + e.getMessage());
        }
        answers.add(ENDED);
    }
}
