package io.weir.integration.modules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.integration.Patience;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program that is a module, with Weir's jars and what they need on its module path. */
class ModulePathTest {

    /** Neither what is optional, but for Jackson, nor what tests need. */
    private static final Pattern NEEDED = Pattern.compile(
            ".*/((weir-(flow-control|reactive-core|channels|transports-native)|netty|reactor-core|reactor-netty-core"
                    + "|reactive-streams|jnr|jffi|asm|slf4j-api|jspecify|jackson)-[^/]*\\.jar"
                    + "|(flow-control|reactive-core|channels|transports-native)/target/classes)");

    private static final String EPOLL = "io.netty.transport.epoll.linux."
            + (System.getProperty("os.arch").equals("aarch64") ? "aarch_64" : "x86_64");

    @TempDir
    private Path folder;

    private final String modules = Stream.of(
                    System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(each -> NEEDED.matcher(each).matches())
            .distinct()
            .collect(Collectors.joining(File.pathSeparator));

    @BeforeEach
    void isCompiled() throws URISyntaxException {
        assertThat(javac(Path.of(ModulePathTest.class.getResource("/modular").toURI())))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp", "local"})
    void runs(String path) throws IOException, InterruptedException {
        assertThat(run(0, List.of("--add-modules", EPOLL), path))
                .containsSubsequence(path, "Price[article=tea, cents=5]", "Price[article=salt, cents=7]", "7", "true");
    }

    @Test
    void withoutTheLibraryOfEpollItIsSaidHowToHaveIt() throws IOException, InterruptedException {
        assertThat(String.join("\n", run(1, List.of(), "shm"))).contains("java needs --add-modules " + EPOLL);
    }

    @Test
    void whatIsForNobodyElseCanNotBeUsed() throws IOException {
        Path program = Files.createDirectories(folder.resolve("curious"));
        var unused = Files.writeString(
                program.resolve("module-info.java"),
                "module curious { requires io.weir.channel; requires io.weir.flow; }");
        unused = Files.writeString(
                program.resolve("Curious.java"),
                "package curious; class Curious { io.weir.flow.Credits credits; io.weir.path.Logs logs; }");
        assertThat(javac(program))
                .contains("package io.weir.path is not visible", "package io.weir.flow is not visible");
    }

    /** What the compiler has to say. */
    private String javac(Path sources) {
        try (Stream<Path> all = Files.walk(sources)) {
            List<String> arguments = new ArrayList<>(
                    List.of("-d", folder.resolve("classes").toString(), "--release", "17", "--module-path", modules));
            all.map(Path::toString).filter(each -> each.endsWith(".java")).forEach(arguments::add);
            StringWriter said = new StringWriter();
            PrintWriter to = new PrintWriter(said);
            var unused = ToolProvider.findFirst("javac").orElseThrow().run(to, to, arguments.toArray(String[]::new));
            to.flush();
            return said.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> run(int exitValue, List<String> options, String path)
            throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("weir.test.java.home", System.getProperty("java.home")) + "/bin/java",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "--module-path",
                modules + File.pathSeparator + folder.resolve("classes")));
        command.addAll(options);
        command.addAll(List.of(
                "--module",
                "com.example.shop/com.example.shop.Shop",
                path,
                folder.resolve("run").toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(3 * Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        List<String> said = Files.readAllLines(output);
        assertThat(process.exitValue()).as("%s", said).isEqualTo(exitValue);
        return said;
    }
}
