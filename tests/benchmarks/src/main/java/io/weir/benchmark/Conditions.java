package io.weir.benchmark;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Under what conditions the figures arose.
 *
 * @param libraries version by artifact, of everybody who takes part
 */
record Conditions(
        String begun,
        String processor,
        int processors,
        String kernel,
        String jvm,
        String compiler,
        String pinning,
        List<String> jvmArguments,
        Map<String, String> libraries) {

    private static final Pattern JAR = Pattern.compile(
            "(aeron-all|rsocket-core|reactor-netty-core|reactor-core|netty-transport|netty-buffer|jnr-ffi)-(\\d.*)\\.jar");

    static Conditions here(Processors pinned, List<String> jvmArguments) throws InterruptedException {
        return new Conditions(
                Instant.now().toString(),
                processorModel(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + ' ' + System.getProperty("os.version"),
                System.getProperty("java.vm.name") + ' ' + System.getProperty("java.vm.version"),
                LimitProgram.compilerVersion(),
                pinned.toString(),
                jvmArguments,
                librariesHere());
    }

    private static String processorModel() {
        try {
            Optional<String> model = Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
            return model.orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    private static Map<String, String> librariesHere() {
        Map<String, String> versions = new TreeMap<>();
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> JAR.matcher(new File(entry).getName()))
                .filter(Matcher::matches)
                .forEach(jar -> versions.put(jar.group(1), jar.group(2)));
        return versions;
    }
}
