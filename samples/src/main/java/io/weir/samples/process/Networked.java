package io.weir.samples.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A command of ours whose processes are on {@link TwoHosts}. It runs once more, in a process on the first one of them;
 * what that one starts is on the second one. The networks are there for as long as it runs.
 */
public final class Networked {

    /** As between hosts that share no memory; and what is better than tcp is to be there from the beginning. */
    private static final Map<String, String> APART =
            Map.of("WEIR_TRANSPORT_SHM", "off", "WEIR_TIMEOUT_HEAD_START", "10s");

    private Networked() {}

    /**
     * Runs it there, with the options with which it was called here.
     *
     * @param anyPath whether no path was asked for; then there is no shared memory
     * @return its exit code
     * @throws ProgramFailed if there can be no networks, for instance because one must be root
     */
    public static int run(CommandSpec command, boolean anyPath) {
        PrintWriter out = command.commandLine().getOut();
        try (TwoHosts hosts = TwoHosts.make(new Ip("ip"))) {
            out.println("  networks      " + hosts);
            out.flush();
            ProcessBuilder there = new ProcessBuilder(commandLine(hosts, command));
            there.environment().putAll(Secret.settings());
            there.environment().putAll(Place.first(hosts));
            if (anyPath) {
                there.environment().putAll(APART);
            }
            return Followed.follow(there.start(), out, command.commandLine().getErr());
        } catch (IOException e) {
            throw new ProgramFailed("The first process can't be started: " + e.getMessage(), e);
        }
    }

    private static List<String> commandLine(TwoHosts hosts, CommandSpec command) {
        List<String> arguments =
                new ArrayList<>(List.of(command.userObject().getClass().getName()));
        for (OptionSpec option : command.commandLine().getParseResult().matchedOptions()) {
            List<String> values = option.originalStringValues();
            arguments.add(option.longestName() + (option.arity().max() == 0 ? "" : "=" + values.get(0)));
        }
        List<String> whole = new ArrayList<>(hosts.near());
        whole.addAll(OwnJava.command(Networked.class, arguments.toArray(String[]::new)));
        return whole;
    }

    /**
     * The first process. Ends when its standard input does, so that it never outlives who started it.
     *
     * @param arguments the class of the command, and its options
     */
    public static void main(String[] arguments) throws ClassNotFoundException {
        Thread input = new Thread(Networked::endWithInput, "input");
        input.setDaemon(true);
        input.start();
        CommandLine command = new CommandLine(Class.forName(arguments[0]));
        System.exit(command.execute(Arrays.copyOfRange(arguments, 1, arguments.length)));
    }

    private static void endWithInput() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        System.exit(1);
    }
}
