package io.weir.benchmark.contender;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the two processes of a measurement. It obeys lines on its standard input and answers on its standard output:
 *
 * <pre>
 *                                              -> READY pid
 *   SERVE scenario size variant                -> ARMED address             (server)
 *   STOP                                       -> STOPPED heldBytes         (server)
 *   RUN scenario size warm seconds address variant -> MEASURING, RESULT {…} (client)
 * </pre>
 *
 * {@code FAILED text} answers what did not work; {@code -} is the variant of those that have only one. The end of
 * standard input ends the process, whatever it is doing.
 */
public final class Child {

    /** In lines, for a contender without variants. */
    public static final String ONLY_VARIANT = "-";

    /** Behind the last line, when standard input has ended. */
    private static final String END = "";

    private static final Logger LOG = LoggerFactory.getLogger(Child.class);
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    private final ContenderKind kind;
    private final Pinning pinning;
    private final Path folder;
    private final PrintStream answers;
    private @Nullable Contender serving;

    private Child(ContenderKind kind, Pinning pinning, Path folder, PrintStream answers) {
        this.kind = kind;
        this.pinning = pinning;
        this.folder = folder;
        this.answers = answers;
    }

    /**
     * Arguments: the contender's label, the processor for its hot thread (negative for any), a folder for its files.
     */
    public static void main(String[] arguments) throws InterruptedException {
        PrintStream answers = System.out;
        // Whatever a library prints must not look like an answer.
        System.setOut(System.err);
        Child child = new Child(
                ContenderKind.of(arguments[0]),
                new Pinning(Integer.parseInt(arguments[1])),
                Path.of(arguments[2]),
                answers);
        child.obey();
    }

    private void obey() throws InterruptedException {
        Thread reader = new Thread(this::read, "bench-commands");
        reader.setDaemon(true);
        reader.start();
        answer("READY " + ProcessHandle.current().pid());
        for (String command = commands.take(); !command.equals(END); command = commands.take()) {
            try {
                obey(command.split(" ", -1));
            } catch (Exception | LinkageError e) {
                LOG.warn("{} failed", command, e);
                answer("FAILED " + String.valueOf(e).replaceAll("\\s+", " "));
            }
        }
        end();
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                commands.add(line);
            }
        } catch (IOException e) {
            LOG.warn("No more commands can be read", e);
        }
        commands.add(END);
        lastResort();
    }

    /** The one that obeys may be in the middle of a measurement, or hang. */
    private void lastResort() {
        try {
            Thread.sleep(FAREWELL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(1);
    }

    private void obey(String[] words) throws Exception {
        switch (words[0]) {
            case "SERVE" -> serve(cell(words), words[3]);
            case "STOP" -> stop();
            case "RUN" -> run(cell(words), seconds(words[3]), seconds(words[4]), words[5], words[6]);
            default -> throw new IllegalArgumentException("This is not understood: " + String.join(" ", words));
        }
    }

    private static Cell cell(String[] words) {
        return new Cell(Scenario.of(words[1]), Integer.parseInt(words[2]));
    }

    private static Duration seconds(String text) {
        return Duration.ofNanos(Math.round(Double.parseDouble(text) * 1e9));
    }

    private Contender contender(String variant) {
        return kind.contender(new Setup(
                variant.equals(ONLY_VARIANT) ? "" : variant,
                pinning,
                System.getProperty("weir.benchmark.listen", ""),
                folder));
    }

    private void serve(Cell cell, String variant) throws Exception {
        Contender contender = contender(variant);
        serving = contender;
        answer("ARMED " + contender.serve(cell));
    }

    private void stop() throws Exception {
        Contender contender = serving;
        serving = null;
        long heldBytes = 0;
        if (contender != null) {
            heldBytes = contender.heldBytes();
            contender.close();
        }
        answer("STOPPED " + heldBytes);
    }

    private void run(Cell cell, Duration warm, Duration length, String address, String variant) throws Exception {
        Meter meter = new Meter(cell, warm, length, () -> answer("MEASURING"));
        long heldBytes;
        try (Contender contender = contender(variant)) {
            contender.drive(cell, address, meter);
            heldBytes = contender.heldBytes();
        }
        answer("RESULT " + Lines.toJson(meter.result(heldBytes)));
    }

    private void answer(String line) {
        answers.println(line);
        answers.flush();
    }

    private void end() {
        try {
            Contender contender = serving;
            if (contender != null) {
                contender.close();
            }
        } catch (Exception e) {
            LOG.warn("Not closed in good order", e);
        }
        Runtime.getRuntime().halt(0);
    }
}
