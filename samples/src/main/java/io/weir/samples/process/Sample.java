package io.weir.samples.process;

import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A program of several processes that shows one thing: {@code weir sample <name>}. The exit code is 0 if it has shown
 * it, 1 with a sentence if not, 2 if it was called wrongly.
 */
@Command(mixinStandardHelpOptions = true)
public abstract class Sample implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Option(
            names = "--path",
            paramLabel = "PATH",
            description = "The path to use: shm, tcp or another one. Default: the best one that there is.")
    private @Nullable String path;

    @Option(
            names = "--network",
            description =
                    "Has its processes run in two network namespaces with a cable between them; needs root. Without"
                            + " --path, they share no memory then: it is p4sock that connects them, or else tcp.")
    private boolean network;

    /**
     * Runs.
     *
     * @param cast our node, and the other processes
     * @throws ProgramFailed if what it shall show does not hold
     */
    protected abstract void play(Cast cast);

    /** How our node is to be, if not as it is configured. */
    protected NodeSpec.Builder tune(NodeSpec.Builder spec) {
        return spec;
    }

    @Override
    public final Integer call() {
        NodeSpec spec = spec();
        if (network && !Place.isOneOfTwo()) {
            return runNetworked();
        }
        for (String line : command.usageMessage().description()) {
            out().println(line);
        }
        out().flush();
        try (Cast cast = new Cast(path, spec, out())) {
            play(cast);
            return 0;
        } catch (WeirException | ProgramFailed e) {
            return failed(e);
        }
    }

    private int runNetworked() {
        try {
            return Networked.run(command, path == null);
        } catch (ProgramFailed e) {
            return failed(e);
        }
    }

    private int failed(RuntimeException e) {
        out().flush();
        command.commandLine().getErr().println("weir sample " + command.name() + ": " + e.getMessage());
        return 1;
    }

    /** Before anything is started, so that a wrong name is refused at once. */
    private NodeSpec spec() {
        try {
            NodeSpec.Builder spec = path == null
                    ? NodeSpec.fromSystem().toBuilder().listen(Place.listen())
                    : OnePath.spec("sample", path).toBuilder();
            return tune(spec.name("sample")).build();
        } catch (Misconfigured e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private PrintWriter out() {
        return command.commandLine().getOut();
    }
}
