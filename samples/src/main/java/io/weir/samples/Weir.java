package io.weir.samples;

import io.weir.samples.demo.DemoCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code weir} command. Exit codes are picocli's: 0 done, 1 failed, 2 called wrongly. */
@Command(
        name = "weir",
        description = "Reactive-streams messaging over the fastest path both sides have.",
        mixinStandardHelpOptions = true,
        subcommands = DemoCommand.class,
        versionProvider = WeirVersion.class)
public final class Weir implements Runnable {

    @Spec
    private CommandSpec spec;

    private Weir() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Weir());
    }

    /** Called without a subcommand: says which there are. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a subcommand.");
    }
}
