package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A project outside of this build that names only the starter: no parent, no list of versions. It gets what our POMs
 * declare themselves, since what a parent manages is not inherited by who depends on its modules.
 */
@Tag("one-jdk")
class StrangerTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String VERSION = "0.1.0-SNAPSHOT";
    private static final List<String> MODULES =
            List.of("flow-control", "reactive-core", "channels", "transports-native", "spring-boot-starter");
    private static final String PLUGINS = "org.apache.maven.plugins:maven-";

    @TempDir
    private Path folder;

    @Test
    void compilesStartsServesAndCalls() throws Exception {
        install("weir-parent", ROOT.resolve("pom.xml"), "pom");
        for (String module : MODULES) {
            install("weir-" + module, ROOT.resolve(module).resolve("pom.xml"), "pom");
            try (OutputStream jar = Files.newOutputStream(installed("weir-" + module, "jar"))) {
                pack(ROOT.resolve(module).resolve("target/classes"), jar);
            }
        }
        write(
                "pom.xml",
                POM.replace("@version@", VERSION)
                        .replace("@local@", local().toUri().toString()));
        write("src/main/java/com/example/Stranger.java", PROGRAM);

        var unused = run(
                "mvn",
                "-B",
                "-q",
                "-Dmaven.repo.local=" + folder.resolve("repository"),
                "-DoutputFile=tree.txt",
                "-Dmdep.outputFile=class.path",
                PLUGINS + "compiler-plugin:3.16.0:compile",
                PLUGINS + "dependency-plugin:3.9.0:tree",
                PLUGINS + "dependency-plugin:3.9.0:build-classpath");

        String tree = Files.readString(folder.resolve("tree.txt"));
        assertThat(versions(tree, "io\\.netty:netty-[^:]+")).hasSize(1);
        assertThat(versions(tree, "com\\.github\\.jnr:jnr-ffi")).hasSize(1);
        // That of Boot's list, and not that of Spring Framework.
        assertThat(versions(tree, "io\\.micrometer:[^:]+"))
                .containsExactly(
                        jar(Observation.class).getParent().getFileName().toString());
        String said = run(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                "target/classes:" + Files.readString(folder.resolve("class.path")),
                "com.example.Stranger");
        assertThat(said).contains("Hello, stranger");
    }

    private void install(String artifact, Path file, String type) throws IOException {
        Path target = installed(artifact, type);
        Files.createDirectories(target.getParent());
        var unused = Files.copy(file, target);
    }

    /** Where Maven keeps it. */
    private Path installed(String artifact, String type) {
        return folder.resolve("repository/io/weir")
                .resolve(artifact)
                .resolve(VERSION)
                .resolve(artifact + '-' + VERSION + '.' + type);
    }

    private static void pack(Path classes, OutputStream out) throws IOException {
        try (ZipOutputStream jar = new ZipOutputStream(out);
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                jar.putNextEntry(
                        new ZipEntry(classes.relativize(file).toString().replace('\\', '/')));
                var unused = Files.copy(file, jar);
            }
        }
    }

    /** The local repository of this build, which has nearly all that is needed. */
    private static Path local() {
        Path jar = jar(Test.class);
        // <repository>/org/junit/jupiter/junit-jupiter-api/<version>/<jar>
        return jar.getRoot().resolve(jar.subpath(0, jar.getNameCount() - 6));
    }

    private static Path jar(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    private void write(String name, String text) {
        try {
            Path file = folder.resolve(name);
            Files.createDirectories(file.getParent());
            var unused = Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private static Set<String> versions(String tree, String artifact) {
        return Pattern.compile(artifact + ":jar:(?:[^:\\n]+:)?([^:\\n]+):(?:compile|runtime)")
                .matcher(tree)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    private static final String POM = """
            <project>
              <modelVersion>4.0.0</modelVersion>
              <groupId>com.example</groupId>
              <artifactId>stranger</artifactId>
              <version>1</version>
              <properties>
                <maven.compiler.release>17</maven.compiler.release>
                <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
              </properties>
              <dependencies>
                <dependency>
                  <groupId>io.weir</groupId>
                  <artifactId>weir-spring-boot-starter</artifactId>
                  <version>@version@</version>
                </dependency>
              </dependencies>
              <repositories>
                <repository><id>built</id><url>@local@</url></repository>
              </repositories>
              <pluginRepositories>
                <pluginRepository><id>built</id><url>@local@</url></pluginRepository>
              </pluginRepositories>
            </project>
            """;

    private static final String PROGRAM = """
            package com.example;

            import io.weir.spring.RemoteService;
            import io.weir.spring.WeirPeers;
            import org.springframework.boot.SpringApplication;
            import org.springframework.boot.autoconfigure.SpringBootApplication;

            @SpringBootApplication
            public class Stranger {

                public interface Greeter { String greet(String name); }

                @RemoteService
                static class Greeting implements Greeter {
                    public String greet(String name) { return "Hello, " + name; }
                }

                public static void main(String[] arguments) {
                    try (var context = SpringApplication.run(Stranger.class, arguments)) {
                        System.out.println(context.getBean(WeirPeers.class).any().client(Greeter.class).greet("stranger"));
                    }
                }
            }
            """;
}
