package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import java.util.List;
import java.util.Set;

/** Somebody who can be measured: which programs to start, and what for. */
interface Entrant {

    String label();

    /** As it is chosen on the command line, whichever version runs it. */
    default String name() {
        return label();
    }

    Set<Scenario> scenarios();

    /** The configurations to choose the best of, as the programs know them; at least one. */
    List<String> variants(Cell cell);

    List<String> serverCommand();

    List<String> clientCommand();
}
