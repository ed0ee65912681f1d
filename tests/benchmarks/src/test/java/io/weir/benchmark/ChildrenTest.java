package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Child;
import io.weir.benchmark.contender.ContenderKind;
import io.weir.benchmark.contender.Scenario;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No measured process outlives the one that started it, whatever it is doing. */
@Tag("whole")
class ChildrenTest {

    private static final Processors ANY = new Processors(-1, -1);

    @TempDir
    Path folder;

    @ParameterizedTest
    // That one starts only where there is Ethernet: OverEthernetTest has it.
    @EnumSource(value = ContenderKind.class, mode = EnumSource.Mode.EXCLUDE, names = "WEIR_P4SOCK")
    void aServerThatStreamsEndsWithItsInput(ContenderKind kind) throws Exception {
        endsWithItsInput(
                entrant(kind), kind.variants(new Cell(Scenario.ONE_WAY, 32)).get(0));
    }

    @Test
    void aRingThatSpinsEndsWithItsInput() throws Exception {
        BenchmarkTest.skipWhereNothingCanBeMeasured();
        endsWithItsInput(LimitEntrant.ring(LimitProgram.compiledIn(folder), ANY), Child.ONLY_VARIANT);
    }

    private static void endsWithItsInput(Entrant entrant, String variant) throws Exception {
        Process server = new ProcessBuilder(entrant.serverCommand())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader answers =
                        new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
                PrintStream commands = new PrintStream(server.getOutputStream(), true, StandardCharsets.UTF_8)) {
            assertThat(answers.readLine()).startsWith("READY");
            commands.println("SERVE one-way 32 " + variant);
            assertThat(answers.readLine()).startsWith("ARMED");
            commands.close();
            assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void aFailureIsToldInTheChildsWords() throws Exception {
        try (Pair pair = Pair.start(entrant(ContenderKind.AERON))) {
            assertThatThrownBy(() ->
                            pair.run(new Cell(Scenario.RTT, 32), "nonsense/1408", Duration.ZERO, Duration.ofMillis(1)))
                    .isInstanceOf(ChildFailed.class)
                    .hasMessageContaining("aeron server")
                    .hasMessageContaining("NONSENSE");
        }
    }

    @Test
    void aProgramThatIsNoChildIsRefused() {
        Entrant stranger = new LimitEntrant("echo", Set.of(), Path.of("/bin/echo"), ANY);
        assertThatThrownBy(() -> Pair.start(stranger))
                .isInstanceOf(ChildFailed.class)
                .hasMessageContaining("echo -1 -1");
    }

    private JvmEntrant entrant(ContenderKind kind) {
        return new JvmEntrant(kind, ANY, folder, List.of());
    }
}
