package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Some who are measured in turn, and what came of it: round trips in nanoseconds, streams in bytes for each second. */
final class Contest implements AutoCloseable {

    /** How one of them is measured. */
    @FunctionalInterface
    interface Measuring {

        /** Measures once; the first time in this cell may need more warming. */
        double measure(String who, boolean first) throws IOException, InterruptedException;
    }

    private final String ours;
    private final Map<Cell, Map<String, List<Double>>> figures = new LinkedHashMap<>();
    private final Map<String, Pair> pairs = new LinkedHashMap<>();

    /** @param ours who is judged */
    Contest(String ours) {
        this.ours = ours;
    }

    /** Measures each once; another one begins in each round. */
    void turn(int round, Cell cell, List<String> taking, Measuring measuring) throws IOException, InterruptedException {
        for (int i = 0; i < taking.size(); i++) {
            String who = taking.get((i + round) % taking.size());
            Map<String, List<Double>> of = figures.computeIfAbsent(cell, unused -> new LinkedHashMap<>());
            double figure = measuring.measure(who, !of.containsKey(who));
            of.computeIfAbsent(who, unused -> new ArrayList<>()).add(figure);
        }
    }

    /** The two processes that are measured as this one, started when they are wanted first. */
    Pair pair(String who, Entrant entrant) throws IOException, InterruptedException {
        Pair there = pairs.get(who);
        if (there == null) {
            there = Pair.start(entrant);
            pairs.put(who, there);
        }
        return there;
    }

    /** Of two processes, in the better one of their configurations. */
    double best(String who, Entrant entrant, Cell cell, Duration warm, Duration length)
            throws IOException, InterruptedException {
        double best = Double.NaN;
        for (String variant : entrant.variants(cell)) {
            Outcome outcome = pair(who, entrant).run(cell, variant, warm, length);
            double figure = cell.scenario() == Scenario.RTT
                    ? outcome.measured().p50Nanos()
                    : outcome.measured().rate() * cell.size();
            best = Double.isNaN(best) || cell.scenario().isBetter(figure, best) ? figure : best;
        }
        return best;
    }

    private double[] all(Cell cell, String who) {
        return Objects.requireNonNull(Objects.requireNonNull(figures.get(cell)).get(who)).stream()
                .mapToDouble(each -> each)
                .toArray();
    }

    double median(Cell cell, String who) {
        return Figures.median(all(cell, who));
    }

    double lowest(Cell cell, String who) {
        return Figures.lowest(all(cell, who));
    }

    double highest(Cell cell, String who) {
        return Figures.highest(all(cell, who));
    }

    static String text(Cell cell, double figure) {
        return Figures.value(cell, cell.scenario() == Scenario.RTT ? figure : figure / cell.size());
    }

    void print(String where, PrintStream out) {
        Table table = new Table(where, "who", "median", "lowest", "highest");
        figures.forEach((cell, of) -> of.keySet()
                .forEach(who -> table.row(
                        cell.toString(),
                        who,
                        text(cell, median(cell, who)),
                        text(cell, lowest(cell, who)),
                        text(cell, highest(cell, who)))));
        table.print(out);
        out.println();
    }

    /** Whether our round trip takes at most so many times what another one's takes. */
    Judgement atMost(String where, Cell cell, String than, double limit, boolean quiet) {
        double ratio = median(cell, ours) / median(cell, than);
        return judgement("round trip, " + where, cell, "<= ", than, limit, ratio, Verdict.of(ratio / limit), quiet);
    }

    /** Whether our stream has at least so many times the rate of another one. */
    Judgement atLeast(String where, Cell cell, String than, double limit, boolean quiet) {
        double ratio = median(cell, ours) / median(cell, than);
        return judgement("one way, " + where, cell, ">= ", than, limit, ratio, Verdict.of(limit / ratio), quiet);
    }

    private Judgement judgement(
            String what,
            Cell cell,
            String sign,
            String than,
            double limit,
            double ratio,
            Verdict verdict,
            boolean quiet) {
        return new Judgement(
                what,
                ours,
                cell.sizeLabel(),
                sign + Figures.ratio(limit) + " x " + than,
                text(cell, median(cell, ours)),
                text(cell, median(cell, than)),
                ratio,
                quiet,
                verdict);
    }

    @Override
    public void close() {
        pairs.values().forEach(Pair::close);
    }
}
