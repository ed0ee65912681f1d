package io.weir.samples;

import io.weir.core.WeirException;
import io.weir.samples.demo.Demo;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The {@code weir} command. Exit codes are picocli's: 0 done, 1 failed, 2 called wrongly. */
@Command(
        name = "weir",
        description = "Reactive-streams messaging over the fastest path both sides have.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        subcommands = {Demo.class, Info.class})
public final class Weir implements Runnable {

    @Spec
    private CommandSpec spec;

    private Weir() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Weir()).setExecutionExceptionHandler(Weir::failed);
    }

    /** What Weir signals says in words what to do; a stack trace beside it would only hide that. Anything else is a defect. */
    private static int failed(Exception error, CommandLine command, ParseResult arguments) throws Exception {
        if (!(error instanceof WeirException)) {
            throw error;
        }
        command.getErr().println("weir: " + error.getMessage());
        command.getErr().flush();
        return command.getCommandSpec().exitCodeOnExecutionException();
    }

    /** Called without a subcommand: says which there are. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a subcommand.");
    }
}
