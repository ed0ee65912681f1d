package io.weir.samples;

import io.weir.core.WeirException;
import io.weir.samples.demo.Demo;
import io.weir.samples.demo.GatewayCommand;
import java.util.Objects;
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
        subcommands = {
            Demo.class,
            Samples.class,
            Info.class,
            Doctor.class,
            Members.class,
            Services.class,
            Rmi.class,
            GatewayCommand.class,
            Emulated.class
        })
public final class Weir implements Runnable {

    @Spec
    private CommandSpec spec;

    private Weir() {}

    public static void main(String[] arguments) {
        CommandLine command = commandLine(arguments);
        int code = command.execute(arguments);
        // A program that was launched goes on for as long as its threads do.
        if (code != 0 || !isLauncher(command.getParseResult())) {
            System.exit(code);
        }
    }

    private static boolean isLauncher(ParseResult parsed) {
        return parsed.hasSubcommand() && parsed.subcommand().commandSpec().userObject() instanceof Rmi;
    }

    /** The command with the subcommands that these arguments may name. */
    static CommandLine commandLine(String... arguments) {
        CommandLine command = new CommandLine(new Weir());
        // The samples bring Jackson: loading it would take every other subcommand half a second. Arguments may stand in
        // a file as well.
        if (arguments.length > 0 && (arguments[0].equals(Samples.NAME) || arguments[0].startsWith("@"))) {
            Samples.addTo(Objects.requireNonNull(command.getSubcommands().get(Samples.NAME)));
        }
        // What stands behind the class that is launched is the program's, also if it looks like an option of ours.
        return command.setExecutionExceptionHandler(Weir::failed).setStopAtPositional(true);
    }

    /**
     * What Weir signals says in words what to do; a stack trace beside it would only hide that. Anything else is a
     * defect.
     */
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
