package io.weir.benchmark;

import io.weir.benchmark.contender.ContenderKind;
import io.weir.benchmark.contender.Scenario;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command that measures Weir beside its peers. Exit codes: 0 all was measured, 1 something was not, or is slower
 * than another version, 2 called wrongly.
 */
@Command(
        name = "run",
        description = "Measures Weir beside Aeron, RSocket and Reactor Netty, and all of them against a ring in C.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
public final class Benchmark implements Callable<Integer> {

    private static final Duration QUIET_WAIT = Duration.ofSeconds(5);

    @Option(names = "--quick", description = "At most a minute, to see that everything runs; the figures mean little.")
    private boolean quick;

    @Option(
            names = "--scenarios",
            split = ",",
            description =
                    "rtt, loaned, sleep, one-way, checked, echo, ask, call, call-bytes, calls, codec, idle, stall."
                            + " Default: all.")
    private List<String> scenarios = List.of();

    @Option(names = "--sizes", split = ",", description = "Payload bytes, of those that a scenario has. Default: all.")
    private List<Integer> sizes = List.of();

    @Option(names = "--entrants", split = ",", description = "Whom to measure beside the ring. Default: all.")
    private List<String> chosen = List.of();

    @Option(
            names = "--cells",
            split = ",",
            description = "Only these, as SCENARIO/SIZE/ENTRANT, of which the last or both may be left out: "
                    + "rtt/32/weir-shm,calls//boot-shm,echo. In place of the three above.")
    private List<String> cells = List.of();

    @Option(
            names = "--beside",
            description =
                    "A checkout of another version of Weir, in which tests/benchmarks/run was called before. What "
                            + "is chosen of Weir is measured in both by turns. Fails if a cell is slower than there by more "
                            + "than its rounds differ.")
    private Optional<Path> beside = Optional.empty();

    @Option(names = "--moves", description = "Only what it costs that a session can change its path: some two minutes.")
    private boolean moves;

    @Option(names = "--rmi", description = "Only Java RMI over Weir's sockets, beside the JDK's: some seventy seconds.")
    private boolean rmi;

    @Option(names = "--files", description = "Only how fast a file is read, beside sendfile: some minute.")
    private boolean files;

    @Option(
            names = "--gateway",
            description = "Only what gets through a gateway, beside its legs and kernel routing: some two minutes; as "
                    + "root with networks"
                    + " of its own, else on loopback.")
    private boolean gateway;

    @Option(
            names = "--ethernet",
            description =
                    "Only p4sock beside TCP on the same wire, in networks of their own: as root, some six minutes.")
    private boolean ethernet;

    @Option(
            names = "--emulated",
            description = "Only gm and elan over emulations of their libraries, beside programs in C that use the "
                    + "same: some nine minutes.")
    private boolean emulated;

    @Option(names = "--rounds", description = "How often each cell is measured at most.")
    private Optional<Integer> rounds = Optional.empty();

    @Option(names = "--millis", description = "How long one measurement takes.")
    private Optional<Integer> millis = Optional.empty();

    @Option(names = "--minutes", description = "After this time no more rounds are begun.")
    private Optional<Integer> minutes = Optional.empty();

    @Option(names = "--jvm-argument", description = "For the measured JVMs; may be repeated.")
    private List<String> jvmArguments = List.of();

    @Option(names = "--out", description = "Where the results go, as JSON. Default: ${DEFAULT-VALUE}.")
    private Path out = Path.of("benchmark-results.json");

    private Benchmark() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Benchmark()).setExecutionExceptionHandler((failure, command, parsed) -> {
            // The two mean that something is missing here or was asked wrongly, and say what.
            if (!(failure instanceof IllegalStateException) && !(failure instanceof IllegalArgumentException)) {
                throw failure;
            }
            command.getErr().println(failure.getMessage());
            return command.getCommandSpec().exitCodeOnExecutionException();
        });
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (files) {
            files();
            return 0;
        }
        if (moves || rmi || gateway || ethernet || emulated) {
            List<Judgement> bars =
                    rmi ? rmi() : gateway ? gateway() : ethernet ? ethernet() : emulated ? emulated() : moves();
            System.out.println();
            Report.table(bars).print(System.out);
            return 0;
        }
        Plan plan = beside.isPresent() ? plan().forVersions() : plan();
        OtherVersion other = beside.isPresent() ? OtherVersion.in(beside.get()) : null;
        Processors processors = Processors.firstAllowed();
        Conditions conditions = Conditions.here(processors, jvmArguments);
        Results results;
        try (Workplace workplace = Workplace.create()) {
            results = measure(plan, processors, conditions, workplace, other);
        }
        if (other == null && measuresAll()) {
            results = results.with(moves());
        }
        results.writeTo(out);
        boolean slower = false;
        if (other == null) {
            new Report(results, System.out).print();
        } else {
            new Report(results, System.out).printMeasured();
            slower = compare(results, other);
        }
        System.out.println();
        System.out.println("Everything that was measured: " + out.toAbsolutePath());
        return results.failures().isEmpty() && !slower ? 0 : 1;
    }

    private boolean measuresAll() {
        return choosesNoneOfThree() && cells.isEmpty();
    }

    private boolean choosesNoneOfThree() {
        return scenarios.isEmpty() && sizes.isEmpty() && chosen.isEmpty();
    }

    /** Whether a cell is slower. */
    private static boolean compare(Results results, OtherVersion other) {
        Comparison comparison = Comparison.of(results.samples(), results.ranked(), results.bestRingRttNanos(), other);
        System.out.println();
        System.out.println("This version beside the one in " + other.name());
        System.out.println();
        comparison.print(System.out);
        return comparison.isSlower();
    }

    private List<Judgement> rmi() throws IOException, InterruptedException {
        boolean quiet = awaitQuiet();
        RmiCalls calls = quick ? RmiCalls.quick() : RmiCalls.full();
        return calls.measure(quiet, Benchmark::progress);
    }

    private void files() throws IOException, InterruptedException {
        var unused = awaitQuiet();
        try (Workplace workplace = Workplace.create()) {
            FileReads reads = quick ? FileReads.quick() : FileReads.full();
            reads.measure(workplace.programs(), Benchmark::progress, System.out);
        }
    }

    private static void tellLoad() {
        progress("load before: "
                + Figures.ratio(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
    }

    private List<Judgement> gateway() throws IOException, InterruptedException {
        tellLoad();
        return adjusted(ThroughGateway.full(), ThroughGateway.quick())
                .measure(awaitQuiet(), Benchmark::progress, System.out);
    }

    private List<Judgement> ethernet() throws IOException, InterruptedException {
        tellLoad();
        boolean quiet = awaitQuiet();
        try (Workplace workplace = Workplace.create()) {
            return adjusted(OverEthernet.full(), OverEthernet.quick())
                    .measure(quiet, Processors.firstAllowed(), workplace, Benchmark::progress, System.out);
        }
    }

    private List<Judgement> emulated() throws IOException, InterruptedException {
        tellLoad();
        boolean quiet = awaitQuiet();
        try (Workplace workplace = Workplace.create()) {
            return adjusted(OverEmulations.full(), OverEmulations.quick())
                    .measure(quiet, Processors.firstAllowed(), workplace, Benchmark::progress, System.out);
        }
    }

    private boolean awaitQuiet() throws InterruptedException {
        return HostLoad.awaitQuiet(quick ? Duration.ZERO : QUIET_WAIT);
    }

    /** As the command line says. */
    private <T extends InTurns<T>> T adjusted(T full, T brief) {
        T chosen = quick ? brief : full;
        if (rounds.isPresent()) {
            chosen = chosen.withRounds(rounds.get());
        }
        return millis.isPresent() ? chosen.withLength(Duration.ofMillis(millis.get())) : chosen;
    }

    private List<Judgement> moves() throws InterruptedException {
        tellLoad();
        boolean quiet = HostLoad.awaitQuiet(QUIET_WAIT);
        Moves gaps = quick ? Moves.quick() : Moves.full();
        SessionPrice price = quick ? SessionPrice.quick() : SessionPrice.full();
        List<Judgement> bars = new ArrayList<>(gaps.measure(quiet, Benchmark::progress));
        bars.addAll(price.measure(quiet, Benchmark::progress));
        return bars;
    }

    private Results measure(
            Plan plan, Processors processors, Conditions conditions, Workplace workplace, @Nullable OtherVersion other)
            throws IOException, InterruptedException {
        Path program = LimitProgram.compiledIn(workplace.programs());
        List<Entrant> entrants = entrants(plan, processors, workplace, program, other);
        try (Ring ring = Ring.start(LimitEntrant.ring(program, processors));
                Runner runner = new Runner(plan, entrants, ring, Benchmark::progress)) {
            runner.run();
            return Results.of(conditions, ring.bestRttNanos(), runner.samples(), runner.failures());
        }
    }

    private static void progress(String line) {
        System.err.println(line);
    }

    private Plan plan() {
        if (!cells.isEmpty() && !choosesNoneOfThree()) {
            throw new IllegalArgumentException("--cells stands in place of --scenarios, --sizes and --entrants.");
        }
        Plan plan = quick ? Plan.quick() : Plan.full();
        if (!scenarios.isEmpty()) {
            plan = plan.withScenarios(scenarios.stream().map(Scenario::of).toList());
        }
        if (!sizes.isEmpty()) {
            plan = plan.withSizes(sizes);
        }
        if (!cells.isEmpty()) {
            plan = plan.withOnly(cells.stream().map(CellChoice::of).toList());
        }
        if (rounds.isPresent()) {
            plan = plan.withRounds(rounds.get());
        }
        if (millis.isPresent()) {
            plan = plan.withLength(Duration.ofMillis(millis.get()));
        }
        return minutes.isPresent() ? plan.withBudget(Duration.ofMinutes(minutes.get())) : plan;
    }

    private List<Entrant> entrants(
            Plan plan, Processors processors, Workplace workplace, Path program, @Nullable OtherVersion other) {
        List<Entrant> all = new ArrayList<>();
        List<String> details = new ArrayList<>();
        for (ContenderKind kind : ContenderKind.values()) {
            if (!kind.isElsewhere()) {
                all.add(new JvmEntrant(kind, processors, workplace.shared(), jvmArguments));
            }
            if (kind.isDetail()) {
                details.add(kind.label());
            }
        }
        all.add(LimitEntrant.wakeup(program, processors));
        List<String> labels = all.stream().map(Entrant::label).toList();
        List<String> named = Stream.concat(
                        chosen.stream(), plan.only().stream().flatMap(cell -> cell.entrant().stream()))
                .toList();
        if (!labels.containsAll(named)) {
            throw new IllegalArgumentException(
                    "The entrants are " + String.join(", ", labels) + ", not " + named + '.');
        }
        List<Entrant> wanted = all.stream()
                .filter(one -> named.contains(one.label()) || (chosen.isEmpty() && !details.contains(one.label())))
                .toList();
        plan.checkThatAllExist(wanted);
        return other == null ? wanted : ofBoth(wanted, other);
    }

    /** Only those that are Weir's, each followed by that of the other version. */
    private static List<Entrant> ofBoth(List<Entrant> wanted, OtherVersion other) {
        List<Entrant> both = new ArrayList<>();
        for (Entrant one : wanted) {
            if (one instanceof JvmEntrant jvm && jvm.kind().isWeir()) {
                both.add(jvm);
                both.add(jvm.of(other));
            }
        }
        if (both.isEmpty()) {
            throw new IllegalArgumentException(
                    "None of the chosen entrants is Weir's, so there is nothing to compare.");
        }
        return both;
    }
}
