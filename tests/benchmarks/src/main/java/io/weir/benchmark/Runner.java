package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Measurement;
import io.weir.benchmark.contender.Scenario;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Lets the entrants take turns. One thread uses it; nothing runs beside what is being measured. */
final class Runner implements AutoCloseable {

    private final Plan plan;
    private final List<Entrant> entrants;
    private final Ring ring;
    private final Consumer<String> progress;
    private final Map<Entrant, Pair> pairs = new LinkedHashMap<>();
    private final Set<List<Object>> warmed = new HashSet<>();
    /** Who has failed in the current scenario and sits out the rest of it, since waiting in vain takes long. */
    private final Set<Entrant> out = new HashSet<>();

    private final List<Sample> samples = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /** @param ring stays the caller's */
    Runner(Plan plan, List<Entrant> entrants, Ring ring, Consumer<String> progress) {
        this.plan = plan;
        this.entrants = entrants;
        this.ring = ring;
        this.progress = progress;
    }

    List<Sample> samples() {
        return samples;
    }

    /** What could not be measured, and why. */
    List<String> failures() {
        return failures;
    }

    void run() throws InterruptedException {
        long end = System.nanoTime() + plan.budget().toNanos();
        double left = plan.scenarios().stream().mapToDouble(this::worth).sum();
        for (Scenario scenario : plan.scenarios()) {
            long now = System.nanoTime();
            double here = worth(scenario);
            if (here == 0) {
                continue;
            }
            run(scenario, now + Math.round((end - now) * (here / left)));
            left -= here;
            if (plan.freshJvms()) {
                closePairs();
            }
        }
    }

    @Override
    public void close() {
        closePairs();
    }

    /** About what a scenario takes, in seconds: shares of the time by it give all cells as many rounds. */
    private double worth(Scenario scenario) {
        double each = (plan.warm().toNanos() + plan.lengthOf(scenario).toNanos()) / 1e9;
        int pairs = 0;
        Set<Entrant> different = new HashSet<>();
        for (Cell cell : plan.cells(scenario)) {
            List<Entrant> taking = taking(cell);
            pairs += taking.size();
            different.addAll(taking);
        }
        double firsts = different.size() * plan.firstWarmOf(scenario).toNanos() / 1e9;
        int rounds = plan.roundsOf(scenario);
        return pairs * rounds * each + (plan.freshRounds() ? rounds : 1) * firsts;
    }

    private List<Entrant> taking(Cell cell) {
        return entrants.stream()
                .filter(one -> one.scenarios().contains(cell.scenario()) && plan.measures(one.name(), cell))
                .toList();
    }

    private void run(Scenario scenario, long deadline) throws InterruptedException {
        out.clear();
        for (int round = 0; round < plan.roundsOf(scenario); round++) {
            if (round > 0 && System.nanoTime() - deadline > 0) {
                progress.accept(scenario + ": no time for more than " + round + " rounds");
                return;
            }
            progress.accept(scenario + ": round " + (round + 1) + " of " + plan.roundsOf(scenario));
            if (round > 0 && plan.freshRounds()) {
                closePairs();
            }
            for (Cell cell : plan.cells(scenario)) {
                List<Entrant> taking = taking(cell);
                for (int turn = 0; turn < taking.size(); turn++) {
                    // Another one begins in each round, so that nobody always has the same neighbour.
                    Entrant next = taking.get((turn + round) % taking.size());
                    if (!out.contains(next)) {
                        measure(next, cell, round);
                    }
                }
            }
        }
    }

    private void measure(Entrant entrant, Cell cell, int round) throws InterruptedException {
        for (String variant : variants(entrant, cell, round)) {
            try {
                measure(entrant, cell, variant, round);
            } catch (IOException | ChildFailed e) {
                failed(entrant, cell, variant, e);
                return;
            }
        }
    }

    private List<String> variants(Entrant entrant, Cell cell, int round) {
        List<String> all = entrant.variants(cell);
        if (round < plan.trials()) {
            return all;
        }
        return Standings.mostPromising(samples, entrant.label(), cell, ring.bestRttNanos())
                .map(List::of)
                .orElse(all.subList(0, 1));
    }

    private void measure(Entrant entrant, Cell cell, String variant, int round)
            throws IOException, InterruptedException {
        for (int attempt = 0; attempt <= plan.retries(); attempt++) {
            if (attempt > 0) {
                var unused = HostLoad.awaitQuiet(plan.quietWait());
            }
            Sample sample = sample(entrant, cell, variant, round);
            samples.add(sample);
            if (sample.isSound(ring.bestRttNanos())) {
                return;
            }
        }
    }

    private Sample sample(Entrant entrant, Cell cell, String variant, int round)
            throws IOException, InterruptedException {
        Pair pair = pairOf(entrant);
        Measurement limit = ring.measure(cell);
        long before = ring.rttNanos();
        Outcome outcome = pair.run(cell, variant, warm(entrant, cell), plan.lengthOf(cell.scenario()));
        long after = ring.rttNanos();
        return new Sample(entrant.label(), variant, cell, round, outcome, limit, before, after);
    }

    /** A JVM compiles what it finds hot, and what it compiled for one size serves the others only in part. */
    private Duration warm(Entrant entrant, Cell cell) {
        boolean firstOfScenario = warmed.add(List.of(entrant, cell.scenario()));
        boolean firstOfSize = warmed.add(List.of(entrant, cell));
        if (!(entrant instanceof JvmEntrant)) {
            return plan.warm();
        }
        return firstOfScenario ? plan.firstWarmOf(cell.scenario()) : firstOfSize ? plan.sizeWarm() : plan.warm();
    }

    private Pair pairOf(Entrant entrant) throws IOException, InterruptedException {
        Pair running = pairs.get(entrant);
        if (running == null) {
            running = Pair.start(entrant);
            pairs.put(entrant, running);
        }
        return running;
    }

    /** The pair may be anywhere now; the next scenario starts a new one. */
    private void failed(Entrant entrant, Cell cell, String variant, Exception reason) {
        String failure = entrant.label() + ' ' + variant + ", " + cell + ": " + reason.getMessage();
        progress.accept(failure);
        failures.add(failure);
        out.add(entrant);
        warmed.removeIf(key -> key.contains(entrant));
        Pair broken = pairs.remove(entrant);
        if (broken != null) {
            broken.close();
        }
    }

    private void closePairs() {
        pairs.values().forEach(Pair::close);
        pairs.clear();
        warmed.clear();
    }
}
