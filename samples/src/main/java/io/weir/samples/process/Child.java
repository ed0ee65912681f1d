package io.weir.samples.process;

import io.weir.core.PeerAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A process that we have started and in which a {@link Serving} node runs. */
public final class Child implements AutoCloseable {

    /** A JVM that takes longer is stuck, even on a processor that is emulated, where 40 s have been seen. */
    private static final Duration START = Duration.ofSeconds(90);

    private static final Duration END = Duration.ofSeconds(5);

    /** What is kept of what it says before it is ready: enough for an error, not for a flood. */
    private static final int KEPT = 20;

    private final String name;
    private final Process process;
    private final Consumer<String> onLine;
    /** Where it listens, or else why it does not. */
    private final CompletableFuture<PeerAddress> address = new CompletableFuture<>();

    private final List<String> said = new ArrayList<>();

    private Child(String name, Process process, Consumer<String> onLine) {
        this.name = name;
        this.process = process;
        this.onLine = onLine;
    }

    /**
     * Starts it and waits until it listens.
     *
     * @param name for errors, such as "The second process"
     * @param command which runs a {@link Serving} node
     * @param environment beside ours
     * @param onLine gets what it says later on
     * @throws ProgramFailed with what it said, if it does not come to listen; nothing is left running then
     */
    public static Child start(
            String name, List<String> command, Map<String, String> environment, Consumer<String> onLine) {
        Child started = begin(name, command, environment, onLine);
        try {
            started.awaitReady();
            return started;
        } catch (ProgramFailed e) {
            started.close();
            throw e;
        }
    }

    /** As {@link #start}, but without waiting; {@link #awaitReady} does that. */
    public static Child begin(
            String name, List<String> command, Map<String, String> environment, Consumer<String> onLine) {
        try {
            Child begun = new Child(name, OwnJava.start(command, environment), onLine);
            Thread reader = new Thread(begun::read, "child-output");
            reader.setDaemon(true);
            reader.start();
            return begun;
        } catch (IOException e) {
            throw new ProgramFailed(name + " can't be started: " + e.getMessage(), e);
        }
    }

    /**
     * Waits until it listens.
     *
     * @throws ProgramFailed with what it said, if it does not come to that
     */
    public void awaitReady() {
        try {
            PeerAddress ignored = address.get(START.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ProgramFailed why
                    ? why
                    : new ProgramFailed(String.valueOf(e.getMessage()), e);
        } catch (TimeoutException e) {
            throw new ProgramFailed(name + " did not get ready within " + START.toSeconds() + " s" + quote(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProgramFailed("Interrupted while a process was starting.", e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line; (line = lines.readLine()) != null; ) {
                heard(line);
            }
            fail(name + " ended before it was ready, with exit code " + process.waitFor() + quote());
        } catch (IOException e) {
            fail(name + " can't be heard: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void heard(String line) {
        if (address.isDone()) {
            onLine.accept(line);
        } else if (line.startsWith(Serving.READY)) {
            address.complete(PeerAddress.parse(line.substring(Serving.READY.length())));
        } else {
            synchronized (said) {
                if (said.size() < KEPT) {
                    said.add(line);
                }
            }
        }
    }

    private void fail(String message) {
        address.completeExceptionally(new ProgramFailed(message));
    }

    private String quote() {
        synchronized (said) {
            return said.isEmpty() ? "; it said nothing." : "; it said:\n  " + String.join("\n  ", said);
        }
    }

    /** Where it listens. */
    public PeerAddress address() {
        return address.join();
    }

    public long pid() {
        return process.pid();
    }

    public Process process() {
        return process;
    }

    /** Ends it: kindly, by the end of its input, then by force. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (process.waitFor(END.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (IOException e) {
            // Its input is gone because it is: nothing is left to tell it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
