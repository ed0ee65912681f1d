package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What has become faster or slower since another version, cell by cell. */
final class Comparison {

    /** Fewer sound rounds of either say nothing. */
    private static final int LEAST = 3;

    /** What can be said of one cell. */
    enum Finding {
        FASTER("faster"),
        SAME("no difference"),
        SLOWER("**slower**"),
        UNKNOWN("too few sound rounds");

        private final String text;

        Finding(String text) {
            this.text = text;
        }
    }

    /**
     * One entrant in one cell.
     *
     * @param ratio how many times as fast it is now: of rates, or of round trips the other way round
     * @param spread half of the way from the lowest to the highest round, of the version where that is longer, in
     *     medians
     */
    record Change(Cell cell, String entrant, double before, double now, double ratio, double spread, Finding finding) {}

    private final List<Change> changes = new ArrayList<>();

    private Comparison() {}

    static Comparison of(List<Sample> samples, Standings standings, long bestRttNanos, OtherVersion other) {
        Comparison comparison = new Comparison();
        for (Cell cell : standings.cells()) {
            if (!cell.scenario().isRest()) {
                standings
                        .entrants(cell)
                        .forEach(entrant -> comparison.add(
                                cell,
                                entrant,
                                side(samples, standings, bestRttNanos, cell, other.label(entrant)),
                                side(samples, standings, bestRttNanos, cell, entrant)));
            }
        }
        return comparison;
    }

    /** The sound rounds of the best variant; null if it was not measured. */
    private static double @Nullable [] side(
            List<Sample> samples, Standings standings, long bestRttNanos, Cell cell, String entrant) {
        Standing best = standings.best(entrant, cell).orElse(null);
        if (best == null) {
            return null;
        }
        return samples.stream()
                .filter(one -> one.cell().equals(cell)
                        && one.entrant().equals(entrant)
                        && one.variant().equals(best.variant())
                        && one.isSoundIn(best.stretch(), bestRttNanos))
                .mapToDouble(Sample::value)
                .toArray();
    }

    private void add(Cell cell, String entrant, double @Nullable [] before, double @Nullable [] now) {
        if (before == null || now == null) {
            return;
        }
        double was = before.length == 0 ? Double.NaN : Figures.median(before);
        double is = now.length == 0 ? Double.NaN : Figures.median(now);
        double ratio = cell.scenario().timesRoundTrips() ? was / is : is / was;
        double spread = Math.max(spread(before), spread(now));
        changes.add(new Change(
                cell, entrant, was, is, ratio, spread, finding(ratio, spread, Math.min(before.length, now.length))));
    }

    private static double spread(double[] rounds) {
        return rounds.length == 0
                ? Double.NaN
                : (Figures.highest(rounds) - Figures.lowest(rounds)) / 2 / Figures.median(rounds);
    }

    private static Finding finding(double ratio, double spread, int rounds) {
        if (rounds < LEAST) {
            return Finding.UNKNOWN;
        }
        if (ratio < 1 - spread) {
            return Finding.SLOWER;
        }
        return ratio > 1 + spread ? Finding.FASTER : Finding.SAME;
    }

    List<Change> changes() {
        return changes;
    }

    /** Whether a cell is slower by more than its rounds differ among themselves. */
    boolean isSlower() {
        return changes.stream().anyMatch(change -> change.finding == Finding.SLOWER);
    }

    void print(PrintStream out) {
        Table table = new Table("cell", "entrant", "before", "now", "times as fast", "spread", "finding");
        for (Change change : changes) {
            table.row(
                    change.cell.toString(),
                    change.entrant,
                    Figures.value(change.cell, change.before),
                    Figures.value(change.cell, change.now),
                    Figures.ratio(change.ratio),
                    Figures.ratio(change.spread),
                    change.finding.text);
        }
        table.print(out);
    }
}
