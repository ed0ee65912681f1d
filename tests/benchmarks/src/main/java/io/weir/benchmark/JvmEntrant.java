package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Child;
import io.weir.benchmark.contender.ContenderKind;
import io.weir.benchmark.contender.Scenario;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Two JVMs like this one. */
record JvmEntrant(ContenderKind kind, Processors processors, Path folder, List<String> jvmArguments)
        implements Entrant {

    private static final int FIRST_THAT_COMPLAINS_OF_UNSAFE = 24;

    @Override
    public String label() {
        return kind.label();
    }

    @Override
    public Set<Scenario> scenarios() {
        return kind.scenarios();
    }

    @Override
    public List<String> variants(Cell cell) {
        return kind.variants(cell);
    }

    @Override
    public List<String> serverCommand() {
        return command(processors.server());
    }

    @Override
    public List<String> clientCommand() {
        return command(processors.client());
    }

    private List<String> command(int cpu) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx1g", "--enable-native-access=ALL-UNNAMED"));
        if (Runtime.version().feature() >= FIRST_THAT_COMPLAINS_OF_UNSAFE) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(kind.jvmArguments());
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Child.class.getName()));
        command.addAll(List.of(label(), Integer.toString(cpu), folder.toString()));
        return command;
    }
}
