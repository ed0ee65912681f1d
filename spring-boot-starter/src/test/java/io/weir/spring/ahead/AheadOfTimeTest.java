package io.weir.spring.ahead;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

/** An application whose beans were prepared ahead of time, as a native image has them, works as any other. */
@Tag("one-jdk")
class AheadOfTimeTest {

    @TempDir
    Path folder;

    @Test
    void whatWasGeneratedServesAndCalls() throws Exception {
        Path sources = folder.resolve("sources");
        Path classes = folder.resolve("classes");
        String[] arguments = {
            "--spring.main.banner-mode=off",
            "--weir.listen=unix:" + folder.resolve("self"),
            "--weir.runtime-folder=" + folder.resolve("run"),
            "--weir.directory=off",
            "--weir.peers.self.address=unix:" + folder.resolve("self"),
            "--spring.main.web-application-type=none",
            // On the class path of the tests, and made for another version of Boot.
            "--spring.cloud.compatibility-verifier.enabled=false"
        };
        Settings settings = Settings.builder()
                .sourceOutput(sources)
                .resourceOutput(classes)
                .classOutput(classes)
                .groupId("io.weir")
                .artifactId("ahead")
                .build();
        new SpringApplicationAotProcessor(Application.class, settings, arguments).process();
        compile(sources, classes);

        assertThat(Files.readString(find(classes, "reachability-metadata.json")))
                .contains("\"io.weir.spring.ahead.Greeter\"")
                .contains("io.weir.spring.ahead.Greeter$Greeting")
                .contains("io.weir.transport.nativelib.LibC")
                .contains("META-INF\\/services\\/io.weir.core.*");

        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dspring.aot.enabled=true",
                "-Xmx256m",
                "-cp",
                classes + File.pathSeparator + System.getProperty("java.class.path"),
                Application.class.getName()));
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output");
        Process child = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = child.waitFor(120, TimeUnit.SECONDS);
        child.destroyForcibly();
        assertThat(ended).as("it ends").isTrue();
        assertThat(Files.readString(output)).contains(Application.HEARD + "Greeting[text=Hello, Ada] [and, Grace]");
        assertThat(child.exitValue()).isZero();
    }

    private static void compile(Path sources, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> all = Files.walk(sources)) {
            List<Path> written =
                    all.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(written).isNotEmpty();
            assertThat(compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of(
                                            "-d",
                                            classes.toString(),
                                            "-proc:none",
                                            "-nowarn",
                                            "-cp",
                                            System.getProperty("java.class.path") + File.pathSeparator + classes),
                                    null,
                                    files.getJavaFileObjectsFromPaths(written))
                            .call())
                    .isTrue();
        }
    }

    private static Path find(Path below, String name) throws IOException {
        try (Stream<Path> all = Files.walk(below)) {
            return all.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }
}
