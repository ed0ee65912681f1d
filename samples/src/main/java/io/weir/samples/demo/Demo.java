package io.weir.samples.demo;

import io.weir.channel.NodeSpec;
import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir demo} */
@Command(
        name = "demo",
        description = "Streams a file to a second process, over shared memory and over TCP, and shows what happens.",
        mixinStandardHelpOptions = true)
public final class Demo implements Callable<Integer> {

    private static final int DONE = 0;
    private static final int FAILED = 1;

    @Spec
    private CommandSpec command;

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description = "What to stream. Default: lib/modules of the running JDK, over 100 MB.")
    private @Nullable Path file;

    @Option(
            names = "--path",
            paramLabel = "PATH",
            defaultValue = "both",
            description = "The path to use: shm, tcp or another one; both is shm, then tcp. Default: both.")
    private String path;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "4",
            description = "How often the slow stage hashes each piece; 1 is as fast as it can. Default: 4.")
    private int rounds;

    @Override
    public Integer call() {
        List<NodeSpec> specs = specs();
        try {
            Subject subject = Subject.of(file == null ? Subject.ofTheJdk() : file);
            return run(specs, subject);
        } catch (DemoFailed e) {
            complain(e);
            return FAILED;
        }
    }

    /** One for each path. Before anything is started, so that a wrong name is refused at once. */
    private List<NodeSpec> specs() {
        if (rounds < 1) {
            throw new ParameterException(command.commandLine(), "--rounds=" + rounds + " is less than 1.");
        }
        try {
            NodeSpec.Builder sender =
                    NodeSpec.fromSystem().toBuilder().name("sender").listen("tcp://127.0.0.1:0");
            List<NodeSpec> specs = new ArrayList<>();
            for (String each : path.equals("both") ? List.of("shm", "tcp") : List.of(path)) {
                specs.add(sender.order(each).build());
            }
            return specs;
        } catch (Misconfigured e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private int run(List<NodeSpec> specs, Subject subject) {
        PrintWriter out = out();
        PathRun run = new PathRun(subject, rounds, out, Ansi.AUTO.enabled());
        out.println(
                "This process streams a file to a second one. There, a slow stage hashes it, and asks for no more than it can");
        out.println("take; its answer is the SHA-256.");
        out.println();
        out.println("  file          " + subject.file() + ", " + Units.megabytes(subject.size()));
        out.println("  SHA-256       " + subject.digest() + ", computed here");
        List<String> agreed = new ArrayList<>();
        for (NodeSpec spec : specs) {
            String name = spec.paths().order().get(0);
            out.println();
            out.println("Over " + name);
            out.flush();
            try {
                if (run.over(spec)) {
                    agreed.add(name);
                }
            } catch (WeirException | DemoFailed e) {
                complain(e);
            }
        }
        out.println();
        out.println(
                agreed.size() == specs.size()
                        ? "The digests agree, over " + String.join(" and over ", agreed) + '.'
                        : "Failed: the digests agree over " + (agreed.isEmpty() ? "no path" : String.join(", ", agreed))
                                + " alone.");
        out.flush();
        return agreed.size() == specs.size() ? DONE : FAILED;
    }

    private void complain(RuntimeException e) {
        out().flush();
        command.commandLine().getErr().println("weir demo: " + e.getMessage());
        command.commandLine().getErr().flush();
    }

    private PrintWriter out() {
        return command.commandLine().getOut();
    }
}
