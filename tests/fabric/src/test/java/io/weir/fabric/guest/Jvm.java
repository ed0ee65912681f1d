package io.weir.fabric.guest;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Further JVMs as this one, with little heap. Starting one takes the emulated processor seconds: the fewer, the better.
 */
final class Jvm {

    private Jvm() {}

    /** The command that runs this class. */
    static List<String> command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath()));
        Stream.concat(Stream.of(main.getName()), Stream.of(arguments)).forEach(command::add);
        return command;
    }

    /** Ours without the log, whose configuration takes a fifth of the start. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("logback-"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
