package io.weir.benchmark;

import io.weir.config.NodeDefaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * What it costs a stream that its connection changes its path, beside the same stream that stays where it is. In each
 * round all are measured, one after the other.
 *
 * @param rounds how often, after one that does not count
 * @param around how long is looked before a move and after it
 * @param warm how long the stream runs before the first round
 * @param window messages that may be under way
 */
record Moves(int rounds, Duration around, Duration warm, long window) {

    private static final double LONGEST_GAP_NANOS = 50e6;
    private static final double CLIMB_FACTOR = 1.5;

    /** Nanoseconds: the longest gap, and the one that one of a thousand is longer than. */
    private record Round(double stays, double falls, double still, double climbs) {}

    static Moves full() {
        return new Moves(21, Duration.ofMillis(100), Duration.ofSeconds(5), NodeDefaults.WINDOW_ITEMS);
    }

    static Moves quick() {
        return new Moves(2, Duration.ofMillis(20), Duration.ofMillis(300), 256);
    }

    /** @param quiet whether the host has nothing else to do, without which the figures mean little */
    List<Judgement> measure(boolean quiet, Consumer<String> progress) throws InterruptedException {
        progress.accept("moves: " + rounds + " rounds");
        List<Round> all = new ArrayList<>();
        try (MovingStream stream = new MovingStream(window)) {
            var unused = stream.gaps(warm, () -> {});
            var unusedRound = round(stream);
            for (int i = 0; i < rounds; i++) {
                all.add(round(stream));
            }
        }
        return judge(all, quiet);
    }

    /** Begins and ends on shared memory. */
    private Round round(MovingStream stream) throws InterruptedException {
        Histogram best = stream.gaps(around, () -> {});
        Histogram falling = stream.gaps(around, stream::cut);
        Histogram still = stream.gaps(around.dividedBy(2), () -> {});
        Histogram climbing = stream.gaps(around, stream::climb);
        // As long on either path as when it climbs.
        still.add(stream.gaps(around.dividedBy(2), () -> {}));
        return new Round(
                best.getMaxValue(),
                falling.getMaxValue(),
                still.getValueAtPercentile(99.9),
                climbing.getValueAtPercentile(99.9));
    }

    private static List<Judgement> judge(List<Round> all, boolean quiet) {
        double climbs = median(all, Round::climbs);
        double still = median(all, Round::still);
        return List.of(
                gap(
                        "longest gap of a stream that falls to tcp, median",
                        median(all, Round::falls),
                        median(all, Round::stays),
                        quiet),
                gap(
                        "longest gap of a stream that falls to tcp, worst of " + all.size(),
                        worst(all, Round::falls),
                        worst(all, Round::stays),
                        quiet),
                new Judgement(
                        "p99.9 of the gaps, climbing back",
                        "weir-shm",
                        "32 B",
                        "<= " + Figures.ratio(CLIMB_FACTOR) + " x staying",
                        Figures.micros(climbs),
                        Figures.micros(still),
                        climbs / still,
                        quiet,
                        Verdict.of(climbs / still / CLIMB_FACTOR)));
    }

    private static Judgement gap(String what, double falls, double stays, boolean quiet) {
        return new Judgement(
                what,
                "weir-shm",
                "32 B",
                "<= " + Figures.millis(LONGEST_GAP_NANOS),
                Figures.millis(falls),
                Figures.millis(stays) + " staying",
                falls / LONGEST_GAP_NANOS,
                quiet,
                Verdict.of(falls / LONGEST_GAP_NANOS));
    }

    private static double median(List<Round> all, ToDoubleFunction<Round> figure) {
        return Figures.median(all.stream().mapToDouble(figure).toArray());
    }

    private static double worst(List<Round> all, ToDoubleFunction<Round> figure) {
        return all.stream().mapToDouble(figure).max().orElseThrow();
    }
}
