package io.weir.samples.process;

import io.weir.test.EmulatedJob;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Further processes with the same Java, class path and JVM arguments as ours, but little heap. */
public final class OwnJava {

    /** Less than the files that are streamed, so that whoever kept one whole would fail. */
    private static final String HEAP = "-Xmx64m";

    /** A process that lives for seconds spends most of them on starting, which is faster with less. */
    private static final List<String> SHORT = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private OwnJava() {}

    /** As {@link #command}, for a process that has little to do. */
    public static List<String> shortCommand(Class<?> main, String... arguments) {
        List<String> command = command(main, arguments);
        command.addAll(1, SHORT);
        return command;
    }

    /** The command that runs this class. */
    public static List<String> command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current()
                .info()
                .command()
                .orElseGet(() ->
                        Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        // An agent, a debugger for instance, often takes a port or a file that only one process can have.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-agent") && !argument.startsWith("-javaagent"))
                .forEach(command::add);
        command.add(HEAP);
        command.add("-classpath");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    /** Starts it, with what it prints and its errors in one stream, and this beside our environment. */
    public static Process start(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(EmulatedJob.placeOfChild());
        builder.environment().putAll(environment);
        return builder.start();
    }
}
