package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Child;
import io.weir.benchmark.contender.Scenario;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** What the compiled program {@link LimitProgram} does at best. */
record LimitEntrant(String label, Set<Scenario> scenarios, Path program, Processors processors) implements Entrant {

    static final String RING = "ring";
    static final String WAKEUP = "wakeup";

    static LimitEntrant ring(Path program, Processors processors) {
        return new LimitEntrant(
                RING, Set.of(Scenario.RTT, Scenario.ONE_WAY, Scenario.CHECKED, Scenario.ECHO), program, processors);
    }

    static LimitEntrant wakeup(Path program, Processors processors) {
        return new LimitEntrant(WAKEUP, Set.of(Scenario.SLEEP), program, processors);
    }

    @Override
    public List<String> variants(Cell cell) {
        return List.of(Child.ONLY_VARIANT);
    }

    @Override
    public List<String> serverCommand() {
        return command(processors.server(), processors.client());
    }

    @Override
    public List<String> clientCommand() {
        return command(processors.client(), processors.server());
    }

    private List<String> command(int cpu, int partnerCpu) {
        return List.of(program.toString(), label, Integer.toString(cpu), Integer.toString(partnerCpu));
    }
}
