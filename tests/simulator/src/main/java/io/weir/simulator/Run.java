package io.weir.simulator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One schedule, from its seed to its outcome. Nothing of one run reaches the next. */
record Run(long seed, Extent extent, Promise promise, Mutation mutation) {

    /** What a violation is shown with. */
    private static final int LINES = 600;

    /**
     * @param violation what must not be, or null
     * @param digest the same for runs in which the same happened; 0 without a trace
     * @param trace the latest events, if they were wanted
     * @param parts how many parts the schedule has
     */
    record Outcome(@Nullable String violation, long digest, List<String> trace, int parts) {}

    Run(long seed) {
        this(seed, Extent.current());
    }

    Run(long seed, Extent extent) {
        this(seed, extent, Promise.current(), Mutation.NONE);
    }

    Outcome quickly() {
        return run(Trace.NONE, Omitted.NOTHING);
    }

    Outcome traced() {
        return run(Trace.ofLast(LINES), Omitted.NOTHING);
    }

    private Outcome run(Trace trace, Omitted omitted) {
        Surroundings.prepare();
        SplittableRandom chance = new SplittableRandom(seed);
        SplittableRandom plan = chance.split();
        Simulation simulation = new Simulation(chance.split(), promise, mutation, trace);
        Schedule schedule = new Schedule(simulation, plan, seed, extent, omitted);
        simulation.enter();
        try {
            schedule.run();
        } catch (RuntimeException e) {
            simulation.violated("the schedule itself has failed", e);
        } finally {
            simulation.leave();
        }
        return new Outcome(simulation.violation(), trace.digest(), trace.lines(), schedule.parts());
    }

    /** The violation with what led to it, after everything that it does not need has been left out. */
    String explained() {
        Outcome whole = traced();
        if (whole.violation == null) {
            return "seed " + seed + " shows no violation";
        }
        Omitted omitted = smallest(whole.parts, kind(whole.violation));
        Outcome shown = run(Trace.ofLast(LINES), omitted);
        List<String> text = new ArrayList<>();
        text.add("seed " + seed + ": " + whole.violation);
        if (!omitted.parts().isEmpty()) {
            text.add("still without parts " + omitted.parts().stream().sorted().toList() + " of " + whole.parts + ": "
                    + shown.violation);
        }
        text.add("replay: mvn test -pl tests/simulator -am -Dweir.simulator.seed=" + seed
                + " -Dweir.simulator.extent=" + extent
                + " -Dtest=SimulatorTest -Dsurefire.failIfNoSpecifiedTests=false");
        text.addAll(shown.trace);
        return String.join("\n", text);
    }

    /** Leaves out one part after the other, as long as the same is still violated. */
    private Omitted smallest(int parts, String kind) {
        Set<Integer> omitted = new HashSet<>();
        for (int part = parts - 1; part >= 0; part--) {
            omitted.add(part);
            if (!kind.equals(kind(run(Trace.NONE, new Omitted(omitted)).violation))) {
                omitted.remove(part);
            }
        }
        return new Omitted(omitted);
    }

    /** What was violated, without who and how much. */
    static String kind(@Nullable String violation) {
        return violation == null ? "" : violation.replaceAll("\\S*\\d\\S*", "#");
    }
}
