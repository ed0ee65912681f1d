package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With real processes; whether it measures, not what. */
@Tag("whole")
class ThroughGatewayTest {

    @Test
    void judgesLongMessagesAndPrintsEachSize() throws Exception {
        assumeTrue(
                System.getProperty("os.name").equals("Linux"),
                "shared memory between processes is made of what Linux has");
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        ThroughGateway through = new ThroughGateway(1, Duration.ofMillis(20));

        List<Judgement> bars = through.measure(false, line -> {}, new PrintStream(said, true, StandardCharsets.UTF_8));

        assertThat(bars).extracting(Judgement::size).containsExactly("100 KB", "1 MiB");
        assertThat(bars)
                .allSatisfy(bar -> assertThat(bar.ratio()).isPositive())
                .allSatisfy(bar -> assertThat(bar.verdict()).isNotEqualTo(Verdict.NOT_MEASURED));
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("| 1 KiB ", "| 1 MiB ", "throughput: ", "round trip: ");
    }
}
