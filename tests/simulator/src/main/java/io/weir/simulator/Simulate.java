package io.weir.simulator;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Runs schedules from the command line: {@code --seed} one of them, with its trace; {@code --schedules} so many or
 * {@code --minutes} so long, with seeds that derive from {@code --base}, and what they find. Exits with 1 if that is
 * anything.
 */
public final class Simulate {

    private long base = System.nanoTime();
    private long schedules = Long.MAX_VALUE;
    private long end = System.nanoTime() + Duration.ofDays(365).toNanos();

    private Simulate() {}

    public static void main(String[] arguments) {
        Simulate simulate = new Simulate();
        if (System.identityHashCode(simulate) != System.identityHashCode(arguments) || !ThreadChance.seed(0)) {
            System.out.println("A seed gives the same schedule each time only with -XX:+UnlockExperimentalVMOptions"
                    + " -XX:hashCode=2 --add-opens java.base/java.lang=ALL-UNNAMED");
        }
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            long value = Long.parseLong(arguments[i + 1]);
            switch (arguments[i]) {
                case "--seed" -> {
                    System.out.println(new Run(value).explained());
                    return;
                }
                case "--base" -> simulate.base = value;
                case "--schedules" -> simulate.schedules = value;
                case "--minutes" ->
                    simulate.end = System.nanoTime() + Duration.ofMinutes(value).toNanos();
                default ->
                    throw new IllegalArgumentException(
                            arguments[i] + " is not known; there are --seed, --base, --schedules and --minutes");
            }
        }
        if (arguments.length % 2 != 0 || !simulate.run()) {
            System.exit(1);
        }
    }

    /** With everything that was found, once for each kind. */
    private boolean run() {
        System.out.println("seeds derive from " + base);
        SplittableRandom seeds = new SplittableRandom(base);
        Map<String, Finding> findings = new LinkedHashMap<>();
        long begun = System.nanoTime();
        long done = 0;
        for (; done < schedules && System.nanoTime() - end < 0; done++) {
            Run run = new Run(seeds.nextLong());
            String violation = run.quickly().violation();
            if (violation != null) {
                findings.merge(Run.kind(violation), new Finding(run.seed(), violation, 1), Finding::more);
            }
        }
        System.out.printf("%d schedules, %.2f ms each%n", done, (System.nanoTime() - begun) / 1e6 / done);
        findings.values().forEach(System.out::println);
        return findings.isEmpty();
    }

    private record Finding(long seed, String violation, int times) {

        Finding more(Finding another) {
            return new Finding(seed, violation, times + another.times);
        }

        @Override
        public String toString() {
            return times + " times, first with seed " + seed + ": " + violation;
        }
    }
}
