package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Child;
import io.weir.benchmark.contender.Scenario;
import java.io.PrintStream;
import java.util.List;

/** The results for people. */
final class Report {

    private final Results results;
    private final Standings standings;
    private final PrintStream out;

    Report(Results results, PrintStream out) {
        this.results = results;
        this.standings = results.ranked();
        this.out = out;
    }

    void print() {
        printMeasured();
        bars();
    }

    /** Without the bars, which need Weir's peers. */
    void printMeasured() {
        conditions();
        figures();
        idle();
        stalled();
        results.failures().forEach(failure -> out.println("Not measured: " + failure));
    }

    private void conditions() {
        Conditions where = results.conditions();
        out.println();
        out.println(where.processor() + ", " + where.processors() + " processors, " + where.kernel() + ", "
                + where.jvm() + ", " + where.compiler());
        out.println(where.pinning() + "; " + where.libraries());
        out.println("Medians. Ring: a ring in shared memory in C, both sides spinning, measured just before each "
                + "figure; its"
                + " best round trip was " + Figures.micros((double) results.bestRingRttNanos())
                + ", and a round is near up to " + Math.round(Stretch.NEAR_FACTOR) + " times that and "
                + Figures.micros((double) Stretch.NEAR_NANOS) + ".");
        out.println("Aeron: how its threads wait, and its MTU; the thread of its driver "
                + (where.processors() > 2
                        ? "has processors beside those of the measured threads."
                        : "shares the two processors with the measured threads."));
    }

    private void figures() {
        Table table = new Table(
                "cell", "entrant", "median", "over ring", "p50", "p99", "p99.9", "CPU s/million", "near/far/discarded");
        for (Cell cell : standings.cells()) {
            if (!cell.scenario().isRest()) {
                standings
                        .entrants(cell)
                        .forEach(one -> standings.best(one, cell).ifPresent(best -> figures(table, best)));
            }
        }
        section("Measured, each in its best configuration", table);
    }

    private static void figures(Table table, Standing one) {
        boolean timed = one.cell().scenario().timesRoundTrips();
        table.row(
                one.cell().toString(),
                name(one),
                Figures.value(one.cell(), one.value()),
                one.cell().scenario() == Scenario.SLEEP ? "-" : Figures.ratio(one.overRing()),
                timed ? Figures.micros(one.p50Nanos()) : "-",
                timed ? Figures.micros(one.p99Nanos()) : "-",
                timed ? Figures.micros(one.p999Nanos()) : "-",
                Figures.ratio(one.cpuSecondsPerMillion()),
                one.near() + "/" + one.far() + "/" + one.discarded() + ' '
                        + (one.sound() ? one.stretch().label() : "none quiet"));
    }

    private void idle() {
        Table table = new Table("idle pair", "CPU server", "CPU client", "switches/s", "RSS server", "RSS client");
        for (Cell cell : standings.cells()) {
            if (cell.scenario() == Scenario.IDLE) {
                standings
                        .entrants(cell)
                        .forEach(one -> standings.best(one, cell).ifPresent(best -> idle(table, best)));
            }
        }
        section("Connected and idle", table);
    }

    private static void idle(Table table, Standing one) {
        table.row(
                name(one),
                Figures.percent(one.serverCores()),
                Figures.percent(one.clientCores()),
                Math.round(one.serverSwitchesPerSecond()) + " / " + Math.round(one.clientSwitchesPerSecond()),
                Figures.mebibytes(one.serverRssBytes()),
                Figures.mebibytes(one.clientRssBytes()));
    }

    private void stalled() {
        Table table = new Table("stalled pair", "size", "held by server", "held by client");
        for (Cell cell : standings.cells()) {
            if (cell.scenario() == Scenario.STALL) {
                standings
                        .entrants(cell)
                        .forEach(one -> standings
                                .best(one, cell)
                                .ifPresent(best -> table.row(
                                        name(best),
                                        cell.sizeLabel(),
                                        Figures.mebibytes(best.serverHeldBytes()),
                                        Figures.mebibytes(best.clientHeldBytes()))));
            }
        }
        section("The client asks for one message, the server never stops sending", table);
    }

    private void bars() {
        section("Weir and its bars", table(results.bars()));
    }

    static Table table(List<Judgement> bars) {
        Table table = new Table("what", "entrant", "size", "goal", "Weir", "peer", "ratio", "verdict");
        for (Judgement bar : bars) {
            table.row(
                    bar.what(),
                    bar.entrant(),
                    bar.size(),
                    bar.goal(),
                    bar.ours(),
                    bar.theirs(),
                    Figures.ratio(bar.ratio()),
                    bar.conclusion());
        }
        return table;
    }

    private void section(String title, Table table) {
        if (!table.isEmpty()) {
            out.println();
            out.println(title);
            out.println();
            table.print(out);
        }
    }

    private static String name(Standing one) {
        return hasVariant(one.variant()) ? one.entrant() + ' ' + one.variant() : one.entrant();
    }

    private static boolean hasVariant(String variant) {
        return !variant.isEmpty() && !variant.equals(Child.ONLY_VARIANT);
    }
}
