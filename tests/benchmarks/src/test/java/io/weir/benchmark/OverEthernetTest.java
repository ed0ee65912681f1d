package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** With real processes, networks and a relay; whether it measures, not what. */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
class OverEthernetTest {

    @Test
    void judgesEachBar() throws Exception {
        EthernetProgramTest.networks().close();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        OverEthernet over = new OverEthernet(
                List.of(9000), 1, Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(200));

        try (Workplace workplace = Workplace.create()) {
            List<Judgement> bars = over.measure(
                    false,
                    Processors.firstAllowed(),
                    workplace,
                    line -> {},
                    new PrintStream(said, true, StandardCharsets.UTF_8));

            assertThat(bars)
                    .hasSize(7)
                    .allSatisfy(bar -> assertThat(bar.ratio()).isNotNegative())
                    .allSatisfy(bar -> assertThat(bar.verdict()).isNotEqualTo(Verdict.NOT_MEASURED));
        }
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("MTU 9000", "MTU 9000, relay", "weir-p4sock", "C, frames", "has nothing to say");
    }
}
