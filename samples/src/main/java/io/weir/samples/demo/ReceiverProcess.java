package io.weir.samples.demo;

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

/** The process of a {@link Receiver}. */
final class ReceiverProcess implements AutoCloseable {

    /** A JVM that takes longer is stuck. */
    private static final Duration START = Duration.ofSeconds(30);

    private static final Duration END = Duration.ofSeconds(5);

    /** What is kept of what it says before it is ready: enough for an error, not for a flood. */
    private static final int KEPT = 20;

    private final Process process;
    private final Consumer<String> onLine;
    /** Where it listens, or else why it does not. */
    private final CompletableFuture<PeerAddress> address = new CompletableFuture<>();

    private final List<String> said = new ArrayList<>();

    private ReceiverProcess(Process process, Consumer<String> onLine) {
        this.process = process;
        this.onLine = onLine;
    }

    /** As below, on this host, with a stage that hashes each piece so often. */
    static ReceiverProcess start(int rounds, Consumer<String> onLine) {
        return start(OwnJava.command(Receiver.class, Integer.toString(rounds), "tcp://127.0.0.1:0"), Map.of(), onLine);
    }

    /**
     * Starts it and waits until it listens.
     *
     * @param command which runs a {@link Receiver}
     * @param environment beside ours
     * @param onLine gets what it says later on
     * @throws DemoFailed with what it said, if it does not come to listen; nothing is left running then
     */
    static ReceiverProcess start(List<String> command, Map<String, String> environment, Consumer<String> onLine) {
        Process process;
        try {
            process = OwnJava.start(command, environment);
        } catch (IOException e) {
            throw new DemoFailed("The second process can't be started: " + e.getMessage(), e);
        }
        ReceiverProcess started = new ReceiverProcess(process, onLine);
        try {
            started.awaitReady();
            return started;
        } catch (DemoFailed e) {
            started.close();
            throw e;
        }
    }

    private void awaitReady() {
        Thread reader = new Thread(this::read, "receiver-output");
        reader.setDaemon(true);
        reader.start();
        try {
            PeerAddress ignored = address.get(START.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof DemoFailed why ? why : new DemoFailed(String.valueOf(e.getMessage()), e);
        } catch (TimeoutException e) {
            throw new DemoFailed(
                    "The second process did not get ready within " + START.toSeconds() + " s" + quote(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailed("Interrupted while the second process was starting.", e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line; (line = lines.readLine()) != null; ) {
                heard(line);
            }
            fail("The second process ended before it was ready, with exit code " + process.waitFor() + quote());
        } catch (IOException e) {
            fail("The second process can't be heard: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void heard(String line) {
        if (address.isDone()) {
            onLine.accept(line);
        } else if (line.startsWith(Receiver.READY)) {
            address.complete(PeerAddress.parse(line.substring(Receiver.READY.length())));
        } else {
            synchronized (said) {
                if (said.size() < KEPT) {
                    said.add(line);
                }
            }
        }
    }

    private void fail(String message) {
        address.completeExceptionally(new DemoFailed(message));
    }

    private String quote() {
        synchronized (said) {
            return said.isEmpty() ? "; it said nothing." : "; it said:\n  " + String.join("\n  ", said);
        }
    }

    PeerAddress address() {
        return address.join();
    }

    long pid() {
        return process.pid();
    }

    Process process() {
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
