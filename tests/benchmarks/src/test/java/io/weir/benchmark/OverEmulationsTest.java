package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.test.CProgram;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.opentest4j.TestAbortedException;

/** With real processes over both emulations; whether it measures, not what. */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
class OverEmulationsTest {

    @Test
    void judgesEachBar() throws Exception {
        CProgram.missing().ifPresent(reason -> {
            throw new TestAbortedException(reason);
        });
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        OverEmulations over = new OverEmulations(1, Duration.ofMillis(50), Duration.ofMillis(50));

        try (Workplace workplace = Workplace.create()) {
            List<Judgement> bars = over.measure(
                    false,
                    Processors.firstAllowed(),
                    workplace,
                    line -> {},
                    new PrintStream(said, true, StandardCharsets.UTF_8));

            assertThat(bars)
                    .hasSize(12)
                    .allSatisfy(bar -> assertThat(bar.ratio()).isPositive())
                    .allSatisfy(bar -> assertThat(bar.verdict()).isNotEqualTo(Verdict.NOT_MEASURED))
                    .extracting(Judgement::entrant)
                    .contains("weir-gm", "weir-elan");
        }
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("over gm, emulated", "over elan, emulated", "between the lowest and the highest of C");
    }
}
