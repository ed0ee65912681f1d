package io.weir.samples.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Programs that are started for a demonstration, and what they say. None is left when this is closed. */
public final class Programs implements AutoCloseable {

    private static final long KINDLY_SECONDS = 10;
    private static final long LAST_WORDS_SECONDS = 5;

    private final Map<String, String> settings;
    private final BiConsumer<String, String> say;
    private final List<Process> started = new ArrayList<>();
    private final List<Thread> readers = new ArrayList<>();

    /**
     * Begins with none.
     *
     * @param settings the environment of all, beside ours
     * @param say gets who says something, and the line. On several threads
     */
    public Programs(Map<String, String> settings, BiConsumer<String, String> say) {
        this.settings = settings;
        this.say = say;
    }

    /**
     * Starts one.
     *
     * @param more of its environment
     * @return what it says, for {@link #after} and {@link #follow}
     * @throws ProgramFailed if it can't be started
     */
    public BufferedReader start(List<String> command, Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(settings);
        environment.putAll(more);
        try {
            Process process = OwnJava.start(command, environment);
            started.add(process);
            return process.inputReader(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new ProgramFailed("A process can't be started: " + e.getMessage(), e);
        }
    }

    /**
     * What stands behind these words in the first line that has them.
     *
     * @throws ProgramFailed if no line has
     */
    public static String after(BufferedReader lines, String words) {
        StringBuilder said = new StringBuilder();
        try {
            for (String line;
                    (line = lines.readLine()) != null;
                    said.append(line).append('\n')) {
                int at = line.indexOf(words);
                if (at >= 0) {
                    return line.substring(at + words.length()).strip();
                }
            }
        } catch (IOException e) {
            throw new ProgramFailed("A process can't be heard: " + e.getMessage(), e);
        }
        throw new ProgramFailed("A process ended before it was ready; it said: " + said);
    }

    /** Tells what it says, from now on, as it comes. */
    public void follow(String who, BufferedReader lines) {
        Thread reader = new Thread(() -> lines.lines().forEach(line -> say.accept(who, line)), "output of " + who);
        reader.setDaemon(true);
        reader.start();
        readers.add(reader);
    }

    /**
     * Waits for the last one, then ends the others kindly, so that what they say last is heard.
     *
     * @return whether it has ended well
     * @throws ProgramFailed if that can't be seen
     */
    public boolean lastSucceeds() {
        try {
            boolean done = started.get(started.size() - 1).waitFor() == 0;
            for (Process each : started) {
                each.getOutputStream().close();
                var unused = each.waitFor(KINDLY_SECONDS, TimeUnit.SECONDS);
            }
            for (Thread each : readers) {
                each.join(TimeUnit.SECONDS.toMillis(LAST_WORDS_SECONDS));
            }
            return done;
        } catch (IOException e) {
            throw new ProgramFailed("A process can't be ended: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProgramFailed("Interrupted while the programs were running.", e);
        }
    }

    @Override
    public void close() {
        started.forEach(Process::destroyForcibly);
    }
}
