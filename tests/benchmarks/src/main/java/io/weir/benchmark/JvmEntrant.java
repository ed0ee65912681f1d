package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Child;
import io.weir.benchmark.contender.ContenderKind;
import io.weir.benchmark.contender.Scenario;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Two JVMs like this one.
 *
 * @param version whose programs they run; null: this one's
 */
record JvmEntrant(
        ContenderKind kind,
        Processors processors,
        Path folder,
        List<String> jvmArguments,
        @Nullable OtherVersion version)
        implements Entrant {

    private static final int FIRST_THAT_COMPLAINS_OF_UNSAFE = 24;

    JvmEntrant(ContenderKind kind, Processors processors, Path folder, List<String> jvmArguments) {
        this(kind, processors, folder, jvmArguments, null);
    }

    /** The same of another version. */
    JvmEntrant of(OtherVersion other) {
        return new JvmEntrant(kind, processors, folder, jvmArguments, other);
    }

    @Override
    public String label() {
        return version == null ? kind.label() : version.label(kind.label());
    }

    @Override
    public String name() {
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
        String classPath = version == null ? System.getProperty("java.class.path") : version.classPath();
        command.addAll(List.of("-cp", classPath, Child.class.getName()));
        command.addAll(List.of(kind.label(), Integer.toString(cpu), folder.toString()));
        return command;
    }
}
