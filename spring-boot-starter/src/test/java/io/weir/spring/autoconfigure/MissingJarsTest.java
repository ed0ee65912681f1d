package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Misconfigured;
import io.weir.spring.WeirPeers;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Mono;

/**
 * Applications that have on their class path what they use, and nothing else: what is missing is not named where it
 * would be looked for. The auto-configurations are found as in any application, and the class path is not only said to
 * lack something.
 */
@Tag("whole")
class MissingJarsTest {

    /** What may be missing, by the names of its files. */
    enum Part {
        JACKSON("jackson-|spring-boot-jackson"),
        CBOR("jackson-dataformat-"),
        ACTUATOR("spring-boot-actuator"),
        HEALTH("spring-boot-health"),
        METERS("micrometer-core|micrometer-jakarta9|spring-boot-micrometer-metrics"),
        OBSERVATIONS("spring-boot-micrometer-observation"),
        SERVLETS("spring-webmvc|spring-boot-webmvc|spring-boot-servlet|spring-boot-tomcat|tomcat-|jakarta.servlet-"),
        WEBFLUX("spring-webflux|spring-boot-webflux|spring-boot-reactor-netty|reactor-netty-http"),
        WEB("spring-web-|spring-boot-web-server|spring-boot-http-"),
        CLOUD("spring-cloud-"),
        SECURITY("spring-security-|spring-boot-security");

        private final String beginnings;

        Part(String beginnings) {
            this.beginnings = beginnings;
        }

        boolean has(String path) {
            return Path.of(path).getFileName().toString().matches("(" + beginnings + ").*");
        }
    }

    record Application(String name, Set<Part> lacks, Set<String> found) {

        boolean has(String path) {
            return lacks.stream().noneMatch(part -> part.has(path));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Application application(String name, Set<Part> lacks, String... found) {
        Set<String> all = new TreeSet<>(List.of(found));
        all.addAll(
                List.of("WeirAutoConfiguration", "WeirAutoConfiguration$CallThreads", "WeirAutoConfiguration$OwnNode"));
        return new Application(name, lacks, all);
    }

    static List<Application> applications() {
        return List.of(
                application(
                        "with JSON and nothing else",
                        EnumSet.complementOf(EnumSet.of(Part.JACKSON)),
                        "WeirCodecAutoConfiguration",
                        "WeirCodecAutoConfiguration$WithoutCbor"),
                application(
                        "with nothing",
                        EnumSet.allOf(Part.class),
                        "remote interfaces have no codec: Jackson is not on the class path; add "
                                + "tools.jackson.core:jackson-databind and"
                                + " tools.jackson.dataformat:jackson-dataformat-cbor, or define a bean of the type"
                                + " io.weir.service.remote.CallCodec"),
                application(
                        "with Actuator",
                        EnumSet.of(Part.SERVLETS, Part.WEBFLUX, Part.WEB, Part.CLOUD, Part.SECURITY),
                        "WeirCodecAutoConfiguration",
                        "WeirCodecAutoConfiguration$WithCbor",
                        "StatusConfiguration",
                        "WeirEndpointAutoConfiguration",
                        "WeirHealthAutoConfiguration",
                        "WeirMetricsAutoConfiguration",
                        "WeirObservationAutoConfiguration"),
                application(
                        "with WebFlux and Spring Cloud",
                        EnumSet.of(Part.SERVLETS, Part.HEALTH, Part.METERS, Part.OBSERVATIONS, Part.SECURITY),
                        "WeirCodecAutoConfiguration",
                        "WeirCodecAutoConfiguration$WithCbor",
                        "StatusConfiguration",
                        "WeirDiscoveryAutoConfiguration",
                        "WeirEndpointAutoConfiguration",
                        "WeirHeadersConfiguration$Reactive",
                        "WeirPageAutoConfiguration$Reactive"),
                application(
                        "with servlets and meters",
                        EnumSet.of(Part.WEBFLUX, Part.HEALTH, Part.CLOUD, Part.SECURITY),
                        "WeirCodecAutoConfiguration",
                        "WeirCodecAutoConfiguration$WithCbor",
                        "StatusConfiguration",
                        "WeirEndpointAutoConfiguration",
                        "WeirMetricsAutoConfiguration",
                        "WeirObservationAutoConfiguration",
                        "WeirHeadersConfiguration$Servlet",
                        "WeirPageAutoConfiguration$Servlet"));
    }

    interface Greeter {
        Mono<String> greet(String name);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}

    /** A program of its own: what a web server sets up in a JVM, a second one there can't. */
    public static final class Program {

        private static final String FOUND = "found: ";

        private Program() {}

        /**
         * Tells the configurations of ours that have beans, and why there can't be a remote interface, if that is so.
         */
        public static void main(String[] arguments) {
            try (ConfigurableApplicationContext context = SpringApplication.run(App.class, arguments)) {
                for (String bean : Conditions.beans(context)) {
                    System.out.println(FOUND + bean.substring(0, bean.indexOf('#')));
                }
                try {
                    var unused = context.getBean(WeirPeers.class).get("far").client(Greeter.class);
                } catch (Misconfigured e) {
                    System.out.println(FOUND + e.getMessage());
                }
            }
        }
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("applications")
    void itStartsWithWhatThereIs(Application application) throws Exception {
        String jars = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(application::has)
                .collect(Collectors.joining(File.pathSeparator));
        Path output = folder.resolve("output");
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // It ends before more than that would be of use.
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-cp",
                        jars,
                        Program.class.getName(),
                        "--spring.main.banner-mode=off",
                        "--spring.cloud.compatibility-verifier.enabled=false",
                        "--server.port=0",
                        "--management.endpoints.web.exposure.include=weir",
                        "--weir.discovery.enabled=true",
                        "--weir.directory=off",
                        "--weir.codec=" + (application.lacks.contains(Part.CBOR) ? "json" : "cbor"),
                        "--weir.peers.far.address=tcp://127.0.0.1:1")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = program.waitFor(120, TimeUnit.SECONDS);
        program.destroyForcibly();
        String said = Files.readString(output);
        assertThat(ended).as("it ends: %s", said).isTrue();
        Set<String> found = said.lines()
                .filter(line -> line.startsWith(Program.FOUND))
                .map(line -> line.substring(Program.FOUND.length()))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(found).as(said).isEqualTo(application.found);
        assertThat(program.exitValue()).as(said).isZero();
    }
}
