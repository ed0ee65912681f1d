package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Child;
import io.weir.benchmark.contender.ContenderKind;
import io.weir.benchmark.contender.Scenario;
import io.weir.core.RuntimeFolder;
import io.weir.test.CProgram;
import io.weir.test.EmulatedJob;
import io.weir.test.EmulatedLibrary;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What our way over a library that is gone adds to it: Weir over its emulation, in turn with a program in C that calls
 * the same emulation. No time of the emulation's says anything about the network that it stands for.
 *
 * @param rounds how often each is measured
 * @param length of one measurement
 * @param warm before the first one of each kind; a tenth of it before each further one
 */
record OverEmulations(int rounds, Duration length, Duration warm) implements InTurns<OverEmulations> {

    private static final double BAR = 0.8;
    private static final String C = "C";
    private static final List<Cell> CELLS = List.of(
            new Cell(Scenario.RTT, 32),
            new Cell(Scenario.RTT, 1 << 10),
            new Cell(Scenario.RTT, 64 << 10),
            new Cell(Scenario.ONE_WAY, 32),
            new Cell(Scenario.ONE_WAY, 1 << 10),
            new Cell(Scenario.ONE_WAY, 64 << 10));

    static OverEmulations full() {
        return new OverEmulations(7, Duration.ofSeconds(1), Duration.ofSeconds(4));
    }

    static OverEmulations quick() {
        return new OverEmulations(1, Duration.ofMillis(100), Duration.ofMillis(200));
    }

    @Override
    public OverEmulations withRounds(int more) {
        return new OverEmulations(more, length, warm);
    }

    @Override
    public OverEmulations withLength(Duration other) {
        return new OverEmulations(rounds, other, warm);
    }

    /**
     * Measures, and prints all figures.
     *
     * @param quiet whether the host has nothing else to do, without which the figures mean little
     */
    List<Judgement> measure(
            boolean quiet, Processors processors, Workplace workplace, Consumer<String> progress, PrintStream out)
            throws IOException, InterruptedException {
        List<Judgement> bars = new ArrayList<>();
        for (EmulatedLibrary library : EmulatedLibrary.values()) {
            String path = library.path();
            Path programs = Files.createDirectories(workplace.programs().resolve(path));
            Path folder = RuntimeFolder.open(workplace.shared().resolve(path));
            Path compiled = library.compiled(programs, "-O3", "-march=native");
            Path program = CProgram.program(
                    OverEmulations.class, path + "_speed.c", programs, "-O3", "-march=native", compiled.toString());
            Map<String, String> settings = library.settings(compiled, folder);
            ContenderKind kind = ContenderKind.valueOf("WEIR_" + library.name());
            Entrant weir = placed(new JvmEntrant(kind, processors, folder, List.of()), settings);
            Entrant inC = placed(new InC(program, processors), settings);
            try (Contest contest = new Contest(kind.label())) {
                compare(contest, path, kind.label(), weir, inC, progress);
                bars.addAll(judge(contest, path, kind.label(), quiet, out));
            }
        }
        return bars;
    }

    private void compare(
            Contest contest, String path, String ours, Entrant weir, Entrant inC, Consumer<String> progress)
            throws IOException, InterruptedException {
        for (int round = 0; round < rounds; round++) {
            progress.accept(path + ": round " + (round + 1) + " of " + rounds);
            for (Cell cell : CELLS) {
                contest.turn(round, cell, List.of(C, ours), (who, first) -> {
                    Entrant entrant = who.equals(C) ? inC : weir;
                    return contest.best(who, entrant, cell, first ? warm : warm.dividedBy(10), length);
                });
            }
        }
    }

    private static List<Judgement> judge(Contest contest, String path, String ours, boolean quiet, PrintStream out) {
        List<Judgement> bars = new ArrayList<>();
        String where = "over " + path + ", emulated";
        contest.print(where, out);
        for (Cell cell : CELLS) {
            out.println(added(path, contest, cell, ours));
            bars.add(
                    cell.scenario() == Scenario.RTT
                            ? contest.atMost(where, cell, C, 1 / BAR, quiet)
                            : contest.atLeast(where, cell, C, BAR, quiet));
        }
        out.println();
        return bars;
    }

    /** Whether it can be told at all that we are in between. */
    private static String added(String path, Contest contest, Cell cell, String ours) {
        double difference = Math.abs(contest.median(cell, ours) - contest.median(cell, C));
        double spread = contest.highest(cell, C) - contest.lowest(cell, C);
        String which =
                cell.scenario().isBetter(contest.median(cell, ours), contest.median(cell, C)) ? "better" : "worse";
        return path + ", " + cell + ": Weir's median is " + which + " by " + Contest.text(cell, difference) + ", "
                + (difference < spread ? "less" : "more") + " than the " + Contest.text(cell, spread)
                + " between the lowest and the highest of C";
    }

    /** Each of the two as a further process of the emulated cluster. */
    private static Entrant placed(Entrant entrant, Map<String, String> settings) throws IOException {
        List<String> server = environment(settings);
        List<String> client = environment(settings);
        return new PlacedEntrant(
                entrant, entrant, command -> behind(server, command), command -> behind(client, command));
    }

    private static List<String> environment(Map<String, String> settings) throws IOException {
        Map<String, String> all = new HashMap<>(settings);
        all.putAll(EmulatedJob.placeOfChild(settings));
        List<String> command = new ArrayList<>(List.of("env"));
        all.forEach((name, value) -> command.add(name + '=' + value));
        return command;
    }

    private static List<String> behind(List<String> environment, List<String> command) {
        List<String> all = new ArrayList<>(environment);
        all.addAll(command);
        return all;
    }

    /** The program in C. */
    private record InC(Path program, Processors processors) implements Entrant {

        @Override
        public String label() {
            return program.getFileName().toString();
        }

        @Override
        public Set<Scenario> scenarios() {
            return Set.of(Scenario.RTT, Scenario.ONE_WAY);
        }

        @Override
        public List<String> variants(Cell cell) {
            return List.of(Child.ONLY_VARIANT);
        }

        @Override
        public List<String> serverCommand() {
            return List.of(program.toString(), Integer.toString(processors.server()));
        }

        @Override
        public List<String> clientCommand() {
            return List.of(program.toString(), Integer.toString(processors.client()));
        }
    }
}
