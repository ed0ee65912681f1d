package io.weir.integration.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.integration.Child;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.samples.Weir;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that knows nothing but {@code java.rmi}, with its registry, run over Weir by the launcher. */
class RmiTest implements OnRoute {

    private static final Path SOURCES = Path.of("src/test/resources/rmi");

    private static final String DIED = "DIED java.rmi.\\w+Exception";

    @TempDir
    static Path classes;

    @BeforeAll
    static void compile() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--release", "17", "-cp", "", "-d", classes.toString()));
        try (Stream<Path> sources = Files.list(SOURCES)) {
            sources.forEach(source -> arguments.add(source.toString()));
        }
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(result).isZero();
    }

    @Test
    void runsUnchangedOverSharedMemory() {
        try (Child server = start(Route.SHM, "BoardServer");
                Child lost = client(Route.SHM, server, "none", "who dies");
                Child client = client(Route.SHM, server, "tickets", "who stays")) {
            lost.kill();
            Patience.until(server::said, () -> server.said().contains("UNREFERENCED of who dies"));
            assertThat(server.said()).contains("UNREFERENCED dropped").doesNotContain("of who stays");

            assertThat(server.leave()).as(server::said).isZero();
            assertThat(server.said()).containsPattern("over shm: 1\\d{7} bytes sent, 1\\d{7} received");
            assertThat(client.exitCode()).as(client::said).isZero();
            assertThat(client.said()).containsPattern(DIED);
        }
    }

    @Test
    void runsUnchangedOverTcpUntilTheServerIsKilled() {
        try (Child server = start(Route.TCP, "BoardServer");
                Child client = client(Route.TCP, server, "tickets", "who stays")) {
            assertThat(server.said()).contains("UNREFERENCED dropped");
            server.kill();
            assertThat(client.exitCode()).as(client::said).isZero();
            assertThat(client.said()).containsPattern(DIED);
        }
    }

    private static Child client(Route route, Child server, String what, String name) {
        return start(route, "BoardClient", Integer.toString(server.address().port()), what, name);
    }

    /** With short leases, so that what a client has let go of is known soon. */
    private static Child start(Route route, String main, String... arguments) {
        List<String> all = new ArrayList<>(List.of("rmi", "--report", "--class-path", classes.toString()));
        all.add(main);
        all.addAll(List.of(arguments));
        return Child.start(
                List.of(
                        "env",
                        "WEIR_TRANSPORT_SHM=" + (route == Route.SHM ? "required" : "off"),
                        "JAVA_TOOL_OPTIONS=-Djava.rmi.dgc.leaseValue=2000"),
                Weir.class,
                all.toArray(String[]::new));
    }
}
