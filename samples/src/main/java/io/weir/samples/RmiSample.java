package io.weir.samples;

import io.weir.core.Misconfigured;
import io.weir.samples.process.Networked;
import io.weir.samples.process.OnePath;
import io.weir.samples.process.OwnJava;
import io.weir.samples.process.Place;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.process.Programs;
import io.weir.samples.rmi.BoardClient;
import io.weir.samples.rmi.BoardServer;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir sample rmi} */
@Command(
        name = "rmi",
        description = {
            "A server and a client that know nothing but java.rmi, each run unchanged by ./weir rmi: large "
                    + "arrays, calls back,",
            "an exception of its own type."
        },
        mixinStandardHelpOptions = true)
public final class RmiSample implements Callable<Integer> {

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
                    "Has both run in two network namespaces with a cable between them; needs root. Without --path,"
                            + " they share no memory then: it is p4sock that connects them, or else tcp.")
    private boolean network;

    private static final String NO_PATH = "no path leads to ";

    private final AtomicBoolean reported = new AtomicBoolean();
    private final AtomicReference<String> refusal = new AtomicReference<>("what it said tells why.");

    @Override
    public Integer call() {
        checkPath();
        try {
            if (network && !Place.isOneOfTwo()) {
                return Networked.run(command, path == null);
            }
            for (String line : command.usageMessage().description()) {
                out().println(line);
            }
            return play();
        } catch (ProgramFailed e) {
            return failed(String.valueOf(e.getMessage()));
        }
    }

    /** Before anything is started, so that a wrong name is refused at once. */
    private void checkPath() {
        try {
            if (path != null) {
                var unused = OnePath.spec("rmi", path);
            }
        } catch (Misconfigured e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private int play() {
        Map<String, String> settings = path == null ? Map.of() : Map.of("WEIR_TRANSPORT_ORDER", path);
        try (Programs programs = new Programs(settings, this::said)) {
            Map<String, String> there = new HashMap<>(Place.furtherSettings());
            there.put("WEIR_LISTEN", Place.furtherListen());
            BufferedReader server = programs.start(Place.further(run(BoardServer.class)), there);
            String port = Programs.after(server, "serves at port ");
            said("server", "serves at port " + port + " of " + Place.furtherHost());
            programs.follow("server", server);
            programs.follow(
                    "client",
                    programs.start(
                            run(BoardClient.class, Place.furtherHost(), port), Map.of("WEIR_LISTEN", Place.listen())));
            if (!programs.lastSucceeds()) {
                return failed("The client has failed: " + refusal);
            }
            return reported.get() ? 0 : failed("Neither has told that it went over " + path + '.');
        }
    }

    /** The command {@code weir rmi}, which looks for the program's classes where ours are as well. */
    private static List<String> run(Class<?> main, String... arguments) {
        List<String> all = new ArrayList<>(List.of("rmi", "--report", main.getName()));
        all.addAll(List.of(arguments));
        return OwnJava.shortCommand(Weir.class, all.toArray(String[]::new));
    }

    private synchronized void said(String who, String line) {
        if (line.startsWith("weir: ") && line.contains(path == null ? " over " : " over " + path + ':')) {
            reported.set(true);
        }
        if (line.contains(NO_PATH)) {
            refusal.set(line.substring(line.indexOf(NO_PATH)));
        }
        out().printf("  %-13s %s%n", who, line);
        out().flush();
    }

    private int failed(String why) {
        out().flush();
        PrintWriter err = command.commandLine().getErr();
        err.println("weir sample rmi: " + why);
        err.flush();
        return 1;
    }

    private PrintWriter out() {
        return command.commandLine().getOut();
    }
}
