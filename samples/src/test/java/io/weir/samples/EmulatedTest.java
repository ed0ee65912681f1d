package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.samples.process.OwnJava;
import io.weir.test.CProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands as a user gives them. */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
class EmulatedTest extends WeirCommand {

    private static void assumeCompiler() throws InterruptedException {
        assumeTrue(CProgram.missing().isEmpty(), "the emulation is in C");
    }

    @Test
    void infoShowsBoardPortAndTokens() throws InterruptedException {
        assumeCompiler();
        assertThat(weir("emulated", "gm", "info")).as(err::toString).isZero();
        assertThat(out.toString())
                .containsPattern("gm +ready +board 0, port 2, node 1, 61 send tokens, 254 receive tokens");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gm", "elan"})
    void theDoctorFindsItSound(String path) throws InterruptedException {
        assumeCompiler();
        assertThat(weir("emulated", path, "doctor", path))
                .as(() -> out + "\n" + err)
                .isZero();
        assertThat(out.toString())
                .containsPattern(path + " +ready: .*\n +second +process \\d+, over " + path + "\n")
                .contains("94 messages of 0 B to 8 MiB have come back as they were")
                .contains("100000 messages of 32 B have come back in order")
                .containsPattern("so +" + path + " works here\n");
    }

    @Test
    void theGatewayJoinsMyrinetWithTcp() throws InterruptedException {
        assumeCompiler();
        assertThat(weir("emulated", "gm", "sample", "gateway", "--path", "gm"))
                .as(() -> out + "\n" + err)
                .isZero();
        assertThat(out.toString())
                .containsPattern("gateway +joined +client-\\w+ over gm - server-\\w+ over tcp")
                .containsPattern("client +has read on: 1000 pieces; SHA-256 \\w{64}, as the server has it");
    }

    @Test
    void nothingIsLeftWhenItIsToldToEnd(@TempDir Path folder) throws IOException, InterruptedException {
        assumeCompiler();
        List<String> command = OwnJava.shortCommand(
                Weir.class, "emulated", "gm", "gateway", "--listen=tcp://127.0.0.1:0", "--allow=127.0.0.1");
        command.add(1, "-Djava.io.tmpdir=" + folder);
        Process process = OwnJava.start(command, Map.of());
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line; (line = lines.readLine()) != null && !line.contains(" listens at "); ) {
                out.append(line).append('\n');
            }
            List<ProcessHandle> others = process.descendants().toList();
            assertThat(others).as(out::toString).hasSize(1);
            assertThat(ours(folder)).hasSize(1);

            process.destroy();

            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(others).noneMatch(ProcessHandle::isAlive);
            assertThat(ours(folder)).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<Path> ours(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(each -> each.getFileName().toString().startsWith("weir-emulated-"))
                    .toList();
        }
    }

    @Test
    void theExitCodeIsThatOfTheCommand() throws InterruptedException {
        assumeCompiler();
        assertThat(weir("emulated", "gm", "sample", "calls", "--path", "gn")).isEqualTo(2);
        assertThat(err.toString()).contains("did you mean gm?");
    }

    @Test
    void aLibraryThatIsNotThereIsRefused() {
        assertThat(weir("emulated", "mx", "info")).isEqualTo(2);
        assertThat(err.toString()).startsWith("'mx' is none of the emulated libraries: gm");
    }
}
