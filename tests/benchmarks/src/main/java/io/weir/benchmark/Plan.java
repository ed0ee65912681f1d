package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * What to measure and how long.
 *
 * @param sizes payload bytes; empty for those that suit each scenario
 * @param only the cells to measure of these; empty for all
 * @param rounds how often each cell is measured with each entrant, unless time runs out
 * @param length how long one measurement takes
 * @param idleLength how long a pair is watched that does nothing
 * @param firstWarm the warm-up of an entrant's first cell of a scenario
 * @param sizeWarm the warm-up of its first cell of each further size
 * @param warm the warm-up of every other cell
 * @param trials rounds in which all variants take part, afterwards only the best; zero for the first variant alone
 * @param retries how often a measurement is repeated that was disturbed
 * @param quietWait how long to wait before a repetition until the others are quiet
 * @param freshJvms whether each scenario starts with JVMs that have compiled nothing for another one
 * @param freshRounds whether each round does too
 * @param budget time after which no more rounds are begun; every scenario gets one
 */
record Plan(
        List<Scenario> scenarios,
        List<Integer> sizes,
        List<CellChoice> only,
        int rounds,
        Duration length,
        Duration idleLength,
        Duration firstWarm,
        Duration sizeWarm,
        Duration warm,
        int trials,
        int retries,
        Duration quietWait,
        boolean freshJvms,
        boolean freshRounds,
        Duration budget) {

    private static final List<Integer> ALL_SIZES = List.of(32, 1 << 10, 64 << 10, 1 << 20);
    private static final List<Integer> SMALL_SIZES = List.of(32, 1 << 10);
    private static final List<Integer> CHECKED_SIZES = List.of(1 << 10, 64 << 10, 1 << 20);
    private static final List<Integer> LOANED_SIZES = List.of(64, 4 << 20);
    /** Limited by the count of messages, and by their bytes. */
    private static final List<Integer> STALLING_SIZES = List.of(32, 64 << 10);

    private static final List<Integer> SMALLEST = List.of(32);

    static Plan full() {
        return new Plan(
                List.of(Scenario.values()),
                List.of(),
                List.of(),
                5,
                Duration.ofMillis(700),
                Duration.ofSeconds(10),
                Duration.ofSeconds(3),
                Duration.ofSeconds(1),
                Duration.ofMillis(200),
                2,
                2,
                Duration.ofSeconds(2),
                true,
                false,
                Duration.ofMinutes(14));
    }

    /** Enough to see that everything runs; the figures are of JVMs that have hardly compiled anything. */
    static Plan quick() {
        return new Plan(
                List.copyOf(EnumSet.complementOf(EnumSet.of(Scenario.CHECKED, Scenario.LOANED))),
                List.of(32, 64 << 10),
                List.of(),
                1,
                Duration.ofMillis(100),
                Duration.ofMillis(500),
                Duration.ofMillis(300),
                Duration.ofMillis(50),
                Duration.ofMillis(50),
                0,
                0,
                Duration.ZERO,
                false,
                false,
                Duration.ofSeconds(45));
    }

    /**
     * For two versions of one entrant: both in the configuration that users have, since one that is chosen for each by
     * a trial may be another one there. Without trials they are warmed for longer: a JVM compiles much of it once more
     * in the first rounds, which costs more than what versions differ by. Each round has new JVMs where every scenario
     * has: what one pair has inlined by chance makes as much of a difference, and stays the same as long as it lives.
     */
    Plan forVersions() {
        return with(draft -> {
            draft.firstWarm = firstWarm.multipliedBy(2);
            draft.warm = sizeWarm.multipliedBy(2);
            draft.sizeWarm = draft.warm;
            draft.trials = 0;
            draft.freshRounds = freshJvms;
        });
    }

    List<Cell> cells(Scenario scenario) {
        List<Integer> fitting = switch (scenario) {
            case RTT, ONE_WAY -> ALL_SIZES;
            case LOANED -> LOANED_SIZES;
            case CHECKED -> CHECKED_SIZES;
            case ECHO, ASK -> SMALL_SIZES;
            case SLEEP, IDLE, CALL, CALL_BYTES, CALLS, CODEC -> SMALLEST;
            case STALL -> STALLING_SIZES;
        };
        Stream<Integer> chosen =
                sizes.isEmpty() ? fitting.stream() : sizes.stream().filter(fitting::contains);
        return chosen.map(size -> new Cell(scenario, size)).toList();
    }

    /** Whether this entrant, whose name this is, is to be measured in this cell. */
    boolean measures(String name, Cell cell) {
        return only.isEmpty() || only.stream().anyMatch(choice -> choice.covers(cell, name));
    }

    /**
     * Whether each named cell is one that somebody can be measured in.
     *
     * @throws IllegalArgumentException if not
     */
    void checkThatAllExist(List<Entrant> entrants) {
        for (CellChoice choice : only) {
            boolean exists = entrants.stream()
                    .filter(one -> one.scenarios().contains(choice.scenario()))
                    .anyMatch(
                            one -> cells(choice.scenario()).stream().anyMatch(cell -> choice.covers(cell, one.name())));
            if (!exists) {
                throw new IllegalArgumentException("There is no cell " + choice + ".");
            }
        }
    }

    Duration lengthOf(Scenario scenario) {
        return switch (scenario) {
            case IDLE -> idleLength;
            // Most of this time is pause.
            case SLEEP -> length.multipliedBy(2);
            default -> length;
        };
    }

    /** Many calls at once go through most code, and are still getting faster when everything else has settled. */
    Duration firstWarmOf(Scenario scenario) {
        return scenario == Scenario.CALLS ? firstWarm.multipliedBy(2) : firstWarm;
    }

    int roundsOf(Scenario scenario) {
        return scenario.isRest() ? 1 : rounds;
    }

    Plan withScenarios(List<Scenario> scenarios) {
        return with(draft -> draft.scenarios = scenarios);
    }

    Plan withSizes(List<Integer> sizes) {
        return with(draft -> draft.sizes = sizes);
    }

    /** These cells alone. */
    Plan withOnly(List<CellChoice> cells) {
        return with(draft -> {
            draft.scenarios =
                    cells.stream().map(CellChoice::scenario).distinct().sorted().toList();
            draft.only = cells;
        });
    }

    Plan withRounds(int rounds) {
        return with(draft -> draft.rounds = rounds);
    }

    Plan withLength(Duration length) {
        return with(draft -> draft.length = length);
    }

    Plan withBudget(Duration budget) {
        return with(draft -> draft.budget = budget);
    }

    private Plan with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.plan();
    }

    /** A plan that is being changed, in what plans differ by. */
    private static final class Draft {

        private final Plan from;
        private List<Scenario> scenarios;
        private List<Integer> sizes;
        private List<CellChoice> only;
        private int rounds;
        private Duration length;
        private Duration firstWarm;
        private Duration sizeWarm;
        private Duration warm;
        private int trials;
        private boolean freshRounds;
        private Duration budget;

        Draft(Plan from) {
            this.from = from;
            this.scenarios = from.scenarios;
            this.sizes = from.sizes;
            this.only = from.only;
            this.rounds = from.rounds;
            this.length = from.length;
            this.firstWarm = from.firstWarm;
            this.sizeWarm = from.sizeWarm;
            this.warm = from.warm;
            this.trials = from.trials;
            this.freshRounds = from.freshRounds;
            this.budget = from.budget;
        }

        Plan plan() {
            return new Plan(
                    scenarios,
                    sizes,
                    only,
                    rounds,
                    length,
                    from.idleLength,
                    firstWarm,
                    sizeWarm,
                    warm,
                    trials,
                    from.retries,
                    from.quietWait,
                    from.freshJvms,
                    freshRounds,
                    budget);
        }
    }
}
