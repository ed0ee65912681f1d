package io.weir.benchmark;

import io.weir.benchmark.jmh.RepathBenchmark;
import io.weir.config.Repath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What it costs each message that its session may change its path: a message over shared memory, both nodes in one JVM,
 * with {@code weir.repath} off and always in turn, each time in a JVM of its own.
 *
 * @param pairs how often both are measured
 * @param iterations of the warm-up and of the measurement
 */
record SessionPrice(int pairs, int iterations, TimeValue length) {

    private static final double FACTOR = 1.05;

    static SessionPrice full() {
        return new SessionPrice(7, 4, TimeValue.seconds(1));
    }

    static SessionPrice quick() {
        return new SessionPrice(1, 1, TimeValue.milliseconds(300));
    }

    /** @param quiet whether the host has nothing else to do, without which the figures mean little */
    List<Judgement> measure(boolean quiet, Consumer<String> progress) {
        List<Double> withOff = new ArrayList<>();
        List<Double> withAlways = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            progress.accept("price of sessions: pair " + (pair + 1) + " of " + pairs);
            if (pair % 2 == 0) {
                withOff.add(once(Repath.OFF));
                withAlways.add(once(Repath.ALWAYS));
            } else {
                withAlways.add(once(Repath.ALWAYS));
                withOff.add(once(Repath.OFF));
            }
        }
        double off = median(withOff);
        double always = median(withAlways);
        return List.of(new Judgement(
                "one way, weir.repath=always (in one JVM, shm)",
                "weir-shm",
                "32 B",
                "<= " + Figures.ratio(FACTOR) + " x repath=off",
                Figures.ratio(always) + " ns",
                Figures.ratio(off) + " ns",
                always / off,
                quiet,
                Verdict.of(always / off / FACTOR)));
    }

    private static double median(List<Double> values) {
        return Figures.median(values.stream().mapToDouble(value -> value).toArray());
    }

    private double once(Repath repath) {
        try {
            Collection<RunResult> results = new Runner(new OptionsBuilder()
                            .include(RepathBenchmark.class.getName() + ".message")
                            .param("path", "shm")
                            .param("repath", repath.name().toLowerCase(Locale.ROOT))
                            .warmupIterations(iterations)
                            .warmupTime(length)
                            .measurementIterations(iterations)
                            .measurementTime(length)
                            .verbosity(VerboseMode.SILENT)
                            .build())
                    .run();
            return results.iterator().next().getPrimaryResult().getScore();
        } catch (RunnerException e) {
            throw new IllegalStateException("What sessions cost can't be measured: " + e.getMessage(), e);
        }
    }
}
