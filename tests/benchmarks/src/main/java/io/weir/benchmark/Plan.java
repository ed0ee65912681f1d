package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * What to measure and how long.
 *
 * @param sizes payload bytes; empty for those that suit each scenario
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
 * @param budget time after which no more rounds are begun; every scenario gets one
 */
record Plan(
        List<Scenario> scenarios,
        List<Integer> sizes,
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
        Duration budget) {

    private static final List<Integer> ALL_SIZES = List.of(32, 1 << 10, 64 << 10, 1 << 20);
    private static final List<Integer> SMALL_SIZES = List.of(32, 1 << 10);
    private static final List<Integer> LARGE_SIZES = List.of(64 << 10, 1 << 20);
    /** Limited by the count of messages, and by their bytes. */
    private static final List<Integer> STALLING_SIZES = List.of(32, 64 << 10);

    private static final List<Integer> SMALLEST = List.of(32);

    static Plan full() {
        return new Plan(
                List.of(Scenario.values()),
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
                Duration.ofMinutes(14));
    }

    /** Enough to see that everything runs; the figures are of JVMs that have hardly compiled anything. */
    static Plan quick() {
        return new Plan(
                List.copyOf(EnumSet.complementOf(EnumSet.of(Scenario.CHECKED))),
                List.of(32, 64 << 10),
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
                Duration.ofSeconds(45));
    }

    /**
     * For two versions of one entrant: both in the configuration that users have, since one that is chosen for each by
     * a trial may be another one there. Without trials they are warmed for longer: a JVM compiles much of it once more
     * in the first rounds, which costs more than what versions differ by.
     */
    Plan forVersions() {
        return new Plan(
                scenarios,
                sizes,
                rounds,
                length,
                idleLength,
                firstWarm.multipliedBy(2),
                sizeWarm.multipliedBy(2),
                sizeWarm.multipliedBy(2),
                0,
                retries,
                quietWait,
                freshJvms,
                budget);
    }

    List<Cell> cells(Scenario scenario) {
        List<Integer> fitting = switch (scenario) {
            case RTT, ONE_WAY -> ALL_SIZES;
            case CHECKED -> LARGE_SIZES;
            case ECHO, ASK -> SMALL_SIZES;
            case SLEEP, IDLE, CALL, CALL_BYTES, CALLS, CODEC -> SMALLEST;
            case STALL -> STALLING_SIZES;
        };
        Stream<Integer> chosen =
                sizes.isEmpty() ? fitting.stream() : sizes.stream().filter(fitting::contains);
        return chosen.map(size -> new Cell(scenario, size)).toList();
    }

    Duration lengthOf(Scenario scenario) {
        return switch (scenario) {
            case IDLE -> idleLength;
            // Most of this time is pause.
            case SLEEP -> length.multipliedBy(2);
            default -> length;
        };
    }

    int roundsOf(Scenario scenario) {
        return scenario.isRest() ? 1 : rounds;
    }

    Plan withScenarios(List<Scenario> scenarios) {
        return new Plan(
                scenarios,
                sizes,
                rounds,
                length,
                idleLength,
                firstWarm,
                sizeWarm,
                warm,
                trials,
                retries,
                quietWait,
                freshJvms,
                budget);
    }

    Plan withSizes(List<Integer> sizes) {
        return new Plan(
                scenarios,
                sizes,
                rounds,
                length,
                idleLength,
                firstWarm,
                sizeWarm,
                warm,
                trials,
                retries,
                quietWait,
                freshJvms,
                budget);
    }

    Plan withRounds(int rounds) {
        return new Plan(
                scenarios,
                sizes,
                rounds,
                length,
                idleLength,
                firstWarm,
                sizeWarm,
                warm,
                trials,
                retries,
                quietWait,
                freshJvms,
                budget);
    }

    Plan withLength(Duration length) {
        return new Plan(
                scenarios,
                sizes,
                rounds,
                length,
                idleLength,
                firstWarm,
                sizeWarm,
                warm,
                trials,
                retries,
                quietWait,
                freshJvms,
                budget);
    }

    Plan withBudget(Duration budget) {
        return new Plan(
                scenarios,
                sizes,
                rounds,
                length,
                idleLength,
                firstWarm,
                sizeWarm,
                warm,
                trials,
                retries,
                quietWait,
                freshJvms,
                budget);
    }
}
