package io.weir.samples;

import io.weir.samples.process.Followed;
import io.weir.samples.process.OwnJava;
import io.weir.samples.process.ProgramFailed;
import io.weir.test.EmulatedLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir emulated gm sample gateway --path gm} */
@Command(
        name = "emulated",
        description = {
            "Runs one of these commands where an emulation stands for a library of hardware that few still have:",
            "gm for Myrinet, elan for QsNet. It joins processes of this host, and is compiled first, which needs gcc."
        },
        footer = {"", "For example: weir emulated gm sample gateway --path gm"},
        mixinStandardHelpOptions = true)
final class Emulated implements Callable<Integer> {

    private static final long KINDLY_SECONDS = 10;

    @Spec
    private CommandSpec command;

    @Parameters(index = "0", paramLabel = "LIBRARY", description = "Which one: gm, elan.")
    private String library = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "COMMAND",
            description = "What to run: info, demo, sample ...")
    private List<String> further = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        EmulatedLibrary chosen = Arrays.stream(EmulatedLibrary.values())
                .filter(each -> each.path().equals(library))
                .findFirst()
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(), "'" + library + "' is none of the emulated libraries: " + known()));
        Path folder = Files.createTempDirectory("weir-emulated-");
        try {
            return run(chosen, folder);
        } catch (IllegalStateException | ProgramFailed e) {
            command.commandLine().getErr().println("weir emulated: " + e.getMessage());
            return 1;
        } finally {
            remove(folder);
        }
    }

    private int run(EmulatedLibrary chosen, Path folder) throws IOException, InterruptedException {
        Map<String, String> settings = chosen.settings(chosen.compiled(folder), folder);
        ProcessBuilder there = new ProcessBuilder(OwnJava.command(Weir.class, further.toArray(String[]::new)));
        there.environment().putAll(settings);
        Process process = there.start();
        // When this process is told to end, nothing else of it is run.
        Thread end = new Thread(() -> end(process, folder), "end");
        Runtime.getRuntime().addShutdownHook(end);
        try {
            return Followed.follow(
                    process,
                    command.commandLine().getOut(),
                    command.commandLine().getErr());
        } finally {
            process.destroy();
            forget(end);
        }
    }

    private static void end(Process process, Path folder) {
        process.destroy();
        try {
            if (!process.waitFor(KINDLY_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            remove(folder);
        } catch (IOException | InterruptedException e) {
            System.err.println("weir emulated: " + folder + " can't be removed: " + e.getMessage());
        }
    }

    private static void forget(Thread hook) {
        try {
            var unused = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It runs already.
        }
    }

    private static void remove(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> files = Files.walk(folder)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }

    private static String known() {
        return Arrays.stream(EmulatedLibrary.values())
                .map(EmulatedLibrary::path)
                .collect(Collectors.joining(", "));
    }
}
