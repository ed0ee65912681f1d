package io.weir.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A wire with faults between two hosts: a process on a third one, which passes frames of Ethernet from one of its
 * interfaces to another one and back. Frames are passed as they are, whatever is in them, until {@link #faults} says
 * otherwise. What befalls a frame depends on the seed, its direction and how many frames came before it, and on nothing
 * else.
 *
 * <p>The interfaces, and those at the other ends of their wires, leave no work to each other any longer: each frame has
 * its checksum and fits the MTU.
 */
public final class FrameRelay implements AutoCloseable {

    /** Far longer than a process needs for a line on a busy machine. */
    private static final long PATIENCE_SECONDS = 30;

    private final Process process;
    private final BufferedReader answers;
    private final Writer orders;
    private Map<Direction, Counters> counters = Map.of();
    private boolean over;

    /** Where frames go. */
    public enum Direction {
        /** From the first wire to the second one. */
        FORTH,
        BACK;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Which frames the plan is for. */
    public enum Scope {
        ALL,
        /**
         * Others than those of p4sock (ethertypes 0x0814 and 0x0816) are delayed with them and otherwise left alone.
         */
        P4SOCK
    }

    /**
     * What befalls the frames of one direction.
     *
     * @param dropped the share that is lost, from 0 to 1 as all shares
     * @param duplicated the share that comes twice
     * @param reordered the share that is held back, each behind some of the next frames; for 20 ms at most if there are
     *     none
     * @param depth how many of the next ones at most: 1 to 63
     * @param corrupted the share of which one bit is wrong, anywhere behind the two addresses of Ethernet
     * @param delay of every frame
     * @param jitter what is added to that at most; it puts no frame before another one
     */
    public record Faults(
            double dropped,
            double duplicated,
            double reordered,
            int depth,
            double corrupted,
            Duration delay,
            Duration jitter) {

        /** As if it were a wire. */
        public static final Faults NONE = new Faults(0, 0, 0, 3, 0, Duration.ZERO, Duration.ZERO);

        /** This share of all frames is lost. */
        public Faults dropping(double share) {
            return new Faults(share, duplicated, reordered, depth, corrupted, delay, jitter);
        }

        /** This share of all frames comes twice. */
        public Faults duplicating(double share) {
            return new Faults(dropped, share, reordered, depth, corrupted, delay, jitter);
        }

        /** This share of all frames comes behind the next 1 to so many ones. */
        public Faults reordering(double share, int behind) {
            return new Faults(dropped, duplicated, share, behind, corrupted, delay, jitter);
        }

        /** This share of all frames has a wrong bit. */
        public Faults corrupting(double share) {
            return new Faults(dropped, duplicated, reordered, depth, share, delay, jitter);
        }

        /** Every frame comes so much later. */
        public Faults delaying(Duration by, Duration more) {
            return new Faults(dropped, duplicated, reordered, depth, corrupted, by, more);
        }

        private String words() {
            return "drop=" + dropped + " duplicate=" + duplicated + " reorder=" + reordered + " depth=" + depth
                    + " corrupt=" + corrupted + " delay=" + micros(delay) + " jitter=" + micros(jitter);
        }

        private static long micros(Duration time) {
            return time.toNanos() / 1000;
        }
    }

    /**
     * What has become of the frames of one direction. A frame that is neither passed, dropped nor refused is still
     * under way.
     *
     * @param received all that have come
     * @param passed handed to the other wire, with the copies of those that were duplicated
     * @param dropped by the plan
     * @param blocked dropped because nothing was let through
     * @param duplicated by the plan, as are those that are reordered and corrupted
     * @param refused by the other wire: too long for it, or its end was down
     * @param lost by the kernel before they came, because the relay was too slow
     */
    public record Counters(
            long received,
            long passed,
            long dropped,
            long blocked,
            long duplicated,
            long reordered,
            long corrupted,
            long refused,
            long lost) {

        /** Those that have come and are not yet gone. */
        public long underWay() {
            return received + duplicated - passed - dropped - blocked - refused;
        }

        /** {@code DIRECTION received=1 passed=1 ...} */
        private static Counters parsed(String line) {
            Map<String, Long> values = new HashMap<>();
            for (String word : line.split(" ")) {
                int at = word.indexOf('=');
                if (at > 0) {
                    values.put(word.substring(0, at), Long.parseLong(word.substring(at + 1)));
                }
            }
            return new Counters(
                    of(values, "received"),
                    of(values, "passed"),
                    of(values, "dropped"),
                    of(values, "blocked"),
                    of(values, "duplicated"),
                    of(values, "reordered"),
                    of(values, "corrupted"),
                    of(values, "refused"),
                    of(values, "lost"));
        }

        private static long of(Map<String, Long> values, String name) {
            return Objects.requireNonNull(values.get(name), name);
        }
    }

    /** The program, compiled once per JVM. */
    private static final class Program {

        static final Path FILE = compiled();

        private static Path compiled() {
            try {
                Path folder = Files.createTempDirectory("weir-relay");
                folder.toFile().deleteOnExit();
                Path program = CProgram.compiled(FrameRelay.class, "relay.c", folder);
                folder.resolve("relay.c").toFile().deleteOnExit();
                program.toFile().deleteOnExit();
                return program;
            } catch (IOException e) {
                throw new UncheckedIOException("There is no place for the relay's program", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while the relay's program was compiled", e);
            }
        }
    }

    private FrameRelay(Process process) {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** As {@link #between(Networks.Wire, Networks.Wire, long, Scope)}, for all frames. */
    public static FrameRelay between(Networks.Wire first, Networks.Wire second, long seed) {
        return between(first, second, seed, Scope.ALL);
    }

    /**
     * Begins to pass frames. The second end of the first wire and the first end of the second wire are at the host
     * where the relay is to be.
     *
     * @throws IllegalStateException if there is no compiler ({@link CProgram#missing} tells before), or the relay can't
     *     begin
     */
    public static FrameRelay between(Networks.Wire first, Networks.Wire second, long seed, Scope scope) {
        Networks.Port in = first.second();
        Networks.Port out = second.first();
        if (in.host() != out.host()) {
            throw new IllegalArgumentException(in + " and " + out + " are not at the same host");
        }
        bare(first.first());
        bare(second.second());
        List<String> command =
                new ArrayList<>(List.of(program(), "wire", in.name(), out.name(), Long.toUnsignedString(seed)));
        if (scope == Scope.P4SOCK) {
            command.add("only-p4sock");
        }
        FrameRelay relay = new FrameRelay(start(in.host().command(command)));
        try {
            relay.expect("READY");
            return relay;
        } catch (IllegalStateException e) {
            relay.process.destroyForcibly();
            throw e;
        }
    }

    private static String program() {
        return Program.FILE.toString();
    }

    private static void bare(Networks.Port port) {
        FrameRelay once = new FrameRelay(start(port.host().command(List.of(program(), "bare", port.name()))));
        String said = once.line();
        if (once.end() != 0) {
            throw new IllegalStateException(port + ": " + said);
        }
    }

    private static Process start(List<String> command) {
        try {
            return new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("The relay can't be started", e);
        }
    }

    /** From now on this befalls what comes; what is under way goes on. */
    public synchronized void faults(Direction direction, Faults faults) {
        order(direction.word() + ' ' + faults.words());
        expect("DONE");
    }

    /** The same in both directions. */
    public void faults(Faults faults) {
        for (Direction each : Direction.values()) {
            faults(each, faults);
        }
    }

    /** Lets nothing through from now on, of which nobody is told; what is under way arrives. */
    public synchronized void block(Direction direction) {
        order(direction.word() + " block");
        expect("DONE");
    }

    /** Lets frames through again. */
    public synchronized void pass(Direction direction) {
        order(direction.word() + " pass");
        expect("DONE");
    }

    /** What has become of the frames until now; after {@link #close}, of all that there were. */
    public synchronized Counters counters(Direction direction) {
        if (!over) {
            order("count");
            counters = counted();
        }
        return Objects.requireNonNull(counters.get(direction), "the relay was not there to count");
    }

    /** The process. */
    public long pid() {
        return process.pid();
    }

    /** Ends it: nothing goes through any longer. */
    @Override
    public synchronized void close() {
        if (over) {
            return;
        }
        over = true;
        try {
            // The end of its input ends it, and leaves it a voice for its last words.
            orders.close();
            counters = counted();
        } catch (IOException e) {
            throw new IllegalStateException("The relay is gone", e);
        } finally {
            int unused = end();
        }
    }

    private Map<Direction, Counters> counted() {
        Map<Direction, Counters> both = new EnumMap<>(Direction.class);
        for (Direction each : Direction.values()) {
            both.put(each, Counters.parsed(said("COUNTED " + each.word())));
        }
        return both;
    }

    private void order(String line) {
        try {
            orders.write(line + '\n');
            orders.flush();
        } catch (IOException e) {
            throw new IllegalStateException("The relay is gone", e);
        }
    }

    private void expect(String beginning) {
        var unused = said(beginning);
    }

    private String said(String beginning) {
        String said = line();
        if (!said.startsWith(beginning)) {
            throw new IllegalStateException("The relay was to say " + beginning + ", and said: " + said);
        }
        return said;
    }

    private String line() {
        try {
            String said = answers.readLine();
            return said == null ? "nothing more" : said;
        } catch (IOException e) {
            throw new IllegalStateException("The relay is gone", e);
        }
    }

    private int end() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The relay does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the relay was ending", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
