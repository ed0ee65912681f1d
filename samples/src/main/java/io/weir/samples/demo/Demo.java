package io.weir.samples.demo;

import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import io.weir.samples.process.Ip;
import io.weir.samples.process.Networked;
import io.weir.samples.process.OnePath;
import io.weir.samples.process.Place;
import io.weir.samples.process.ProgramFailed;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
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

    private static final Duration PROBATION = Duration.ofMillis(200);

    /** With less work the stream is over, on a fast processor, before the path could be lost and come back. */
    private static final int ROUNDS_OF_CUT = 16;

    private static final String LINK = "link";
    private static final String NETWORK = "network";

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
            description = "The path to use: shm, tcp or another one; both is shm, then tcp, and with --network p4sock,"
                    + " then tcp. Default: both.")
    private String path;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "How often the slow stage hashes each piece; 1 is as fast as it can. Default: 4, with --cut 16.")
    private int rounds;

    @Option(
            names = "--cut",
            arity = "0..1",
            fallbackValue = LINK,
            paramLabel = "WHAT",
            description = "Breaks the shared memory while the stream flows: it goes on over TCP, and climbs back. With"
                    + " --cut=network, the network between two network namespaces; needs root.")
    private @Nullable String cut;

    @Option(
            names = "--network",
            description = "Has both processes run in two network namespaces with a cable between them; needs root. "
                    + "Nothing is cut.")
    private boolean network;

    @Override
    public Integer call() {
        Map<String, NodeSpec> specs = specs();
        try {
            if (network && !Place.isOneOfTwo()) {
                return Networked.run(command, false);
            }
            Subject subject = Subject.of(file == null ? Subject.ofTheJdk() : file);
            return NETWORK.equals(cut) ? runCutNetwork(specs.keySet(), subject) : run(specs, subject);
        } catch (ProgramFailed e) {
            complain(e);
            return FAILED;
        }
    }

    /** One for each path. Before anything is started, so that a wrong name is refused at once. */
    private Map<String, NodeSpec> specs() {
        if (rounds < 1) {
            throw new ParameterException(command.commandLine(), "--rounds=" + rounds + " is less than 1.");
        }
        checkCut();
        try {
            Map<String, NodeSpec> specs = new LinkedHashMap<>();
            if (LINK.equals(cut)) {
                specs.put("shm, cut on the way", rehearsal(spec("shm")));
                return specs;
            }
            for (String each : path.equals("both") ? List.of(network ? "p4sock" : "shm", "tcp") : List.of(path)) {
                specs.put(each, spec(each));
            }
            return specs;
        } catch (Misconfigured e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private void checkCut() {
        if (cut != null && network) {
            throw new ParameterException(
                    command.commandLine(),
                    "--network cuts nothing; --cut=network makes its networks itself, and --cut needs none.");
        }
        if (cut == null || (cut.equals(NETWORK) && List.of("both", "shm", "tcp").contains(path))) {
            return;
        }
        if (cut.equals(NETWORK)) {
            throw new ParameterException(
                    command.commandLine(),
                    "--cut=network is for shm and tcp; it can't be used with --path=" + path + '.');
        }
        if (!cut.equals(LINK)) {
            throw new ParameterException(
                    command.commandLine(), "--cut=" + cut + " is not known: write --cut, or --cut=network.");
        }
        if (!path.equals("both") && !path.equals("shm")) {
            throw new ParameterException(
                    command.commandLine(), "--cut breaks shm; it can't be used with --path=" + path + '.');
        }
    }

    static NodeSpec spec(String path) {
        return OnePath.spec("sender", path);
    }

    /** Climbs back soon, as a demonstration does not last long. */
    private static NodeSpec rehearsal(NodeSpec spec) {
        return spec.toBuilder().repathProbation(PROBATION).build();
    }

    private int run(Map<String, NodeSpec> specs, Subject subject) {
        introduce(subject);
        PathRun run = new PathRun(subject, rounds(), out(), Ansi.AUTO.enabled());
        return runEach(specs.keySet(), path -> {
            NodeSpec spec = Objects.requireNonNull(specs.get(path));
            return cut == null ? run.over(path, spec) : run.cut(spec);
        });
    }

    private int runCutNetwork(Set<String> paths, Subject subject) {
        try (NetworkRun run = NetworkRun.begin(new Ip("ip"), subject, rounds(), out())) {
            introduce(subject);
            out().println("  networks      " + run);
            return runEach(paths, run::over);
        }
    }

    private int rounds() {
        return cut == null ? rounds : Math.max(rounds, ROUNDS_OF_CUT);
    }

    private int runEach(Set<String> paths, Predicate<String> agrees) {
        List<String> agreed = new ArrayList<>();
        for (String each : paths) {
            out().println();
            try {
                if (agrees.test(each)) {
                    agreed.add(each);
                }
            } catch (WeirException | ProgramFailed e) {
                complain(e);
            }
        }
        boolean all = agreed.size() == paths.size();
        conclude(all, agreed);
        return all ? DONE : FAILED;
    }

    private void introduce(Subject subject) {
        out().println((network || NETWORK.equals(cut) ? "A first process" : "This process")
                + " streams a file to a second one. There, a slow stage hashes it, and is sent no more");
        out().println("than it asks for; it answers with the SHA-256.");
        out().println();
        out().println("  file          " + subject.file() + ", " + Units.megabytes(subject.size()));
        out().println("  SHA-256       " + subject.digest() + ", computed here");
        out().flush();
    }

    private void conclude(boolean all, List<String> agreed) {
        String paths = String.join(" and over ", agreed);
        out().println();
        out().println(
                        all
                                ? "The digests agree, over " + paths + '.'
                                : "Failed: "
                                        + (agreed.isEmpty()
                                                ? "there is nothing to compare."
                                                : "only over " + paths + " do the digests agree."));
        out().flush();
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
