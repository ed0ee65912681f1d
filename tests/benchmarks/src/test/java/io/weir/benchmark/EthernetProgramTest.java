package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.test.CProgram;
import io.weir.test.Networks;
import io.weir.test.Networks.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/** Each of its measurements comes to an end, and its other end with it. */
@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
class EthernetProgramTest {

    private static final String NEAR = "198.18.74.1";
    private static final String FAR = "198.18.74.2";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"tcp-pingpong", "tcp-stream", "raw-pingpong", "raw-stream", "ring-pingpong", "ring-stream"})
    void measures(String kind) throws IOException, InterruptedException {
        try (Networks networks = networks()) {
            String program = CProgram.compiled(EthernetProgramTest.class, "ethernet.c", folder)
                    .toString();
            Wire wire = networks.wire(networks.host("near"), networks.host("far"));
            wire.first().address(NEAR + "/24");
            wire.second().address(FAR + "/24");
            boolean tcp = kind.startsWith("tcp-");
            Process far = start(wire.second()
                    .host()
                    .command(List.of(
                            program, kind, "serve", tcp ? FAR : wire.second().name())));
            try {
                String armed = line(far);
                assertThat(armed).startsWith("ARMED ");
                Process near = start(wire.first()
                        .host()
                        .command(List.of(
                                program,
                                kind,
                                "run",
                                tcp ? NEAR : wire.first().name(),
                                armed.substring("ARMED ".length()),
                                "--seconds",
                                "0.1")));
                assertThat(line(near)).startsWith("RESULT {\"kind\":\"" + kind + "\",\"size\":");
                far.getOutputStream().close();
                assertThat(far.waitFor(1, TimeUnit.MINUTES)).isTrue();
            } finally {
                far.destroyForcibly();
            }
        }
    }

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String line(Process process) throws IOException {
        return String.valueOf(process.inputReader(StandardCharsets.UTF_8).readLine());
    }

    /** A test that needs some is skipped where there can be none. */
    static Networks networks() {
        try {
            return Networks.make();
        } catch (Networks.Unavailable e) {
            if ("required".equals(System.getProperty("weir.fabric"))) {
                throw new AssertionError(e.getMessage());
            }
            throw new TestAbortedException(e.getMessage());
        }
    }
}
