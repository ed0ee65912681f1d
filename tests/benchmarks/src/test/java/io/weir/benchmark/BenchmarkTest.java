package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.benchmark.contender.Scenario;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole runner with real processes; whether it measures, not what. */
@Tag("one-jdk")
class BenchmarkTest {

    @TempDir
    Path folder;

    @BeforeAll
    static void skipWhereNothingCanBeMeasured() throws InterruptedException {
        String missing = "";
        try {
            var unused = Processors.firstAllowed() + LimitProgram.compilerVersion();
        } catch (RuntimeException e) {
            missing = e.getMessage();
        }
        assumeTrue(missing.isEmpty(), missing);
    }

    @Test
    void writesWhatItMeasured() throws Exception {
        JsonNode results =
                resultsOf("--entrants=reactor-netty,wakeup", "--scenarios=rtt,one-way,echo,sleep,idle", "--sizes=32");

        assertThat(results.path("failures").size()).isZero();
        assertThat(results.path("bestRingRttNanos").asLong()).isPositive();
        assertThat(results.path("conditions").path("kernel").asString()).startsWith("Linux");
        assertThat(results.path("conditions").path("libraries").has("reactor-netty-core"))
                .isTrue();
        assertThat(results.path("samples").size()).isEqualTo(6);
        results.path("samples").forEach(BenchmarkTest::isSample);
        assertThat(results.path("standings").size()).isEqualTo(6);
        assertThat(results.path("bars").size()).isEqualTo(SpeedTable.BARS.size());
        results.path("bars")
                .forEach(bar -> assertThat(bar.path("verdict").asString()).isNotEmpty());
    }

    @Test
    void measuresTheNamedCellsAlone() throws Exception {
        JsonNode results = resultsOf("--cells=rtt/32/reactor-netty,one-way/65536/reactor-netty,sleep//wakeup");

        List<String> measured = new ArrayList<>();
        results.path("samples")
                .forEach(sample -> measured.add(sample.path("entrant").asString() + ' ' + sample.path("cell")));
        assertThat(measured)
                .containsExactly(
                        "reactor-netty {\"scenario\":\"rtt\",\"size\":32}",
                        "wakeup {\"scenario\":\"sleep\",\"size\":32}",
                        "reactor-netty {\"scenario\":\"one-way\",\"size\":65536}");
    }

    /** What a quick run of these cells has written. */
    private JsonNode resultsOf(String... cells) throws IOException {
        Path out = folder.resolve("results.json");
        List<String> arguments = new ArrayList<>(List.of("--quick", "--millis=20", "--out=" + out));
        arguments.addAll(List.of(cells));
        assertThat(Benchmark.commandLine().execute(arguments.toArray(String[]::new)))
                .isZero();
        return new JsonMapper().readTree(Files.readString(out));
    }

    private static void isSample(JsonNode sample) {
        JsonNode measured = sample.path("outcome").path("measured");
        assertThat(measured.path("seconds").asDouble()).isPositive();
        if (!sample.path("cell").path("scenario").asString().equals("IDLE")) {
            assertThat(measured.path("messages").asLong()).isPositive();
        }
        assertThat(sample.path("ring").path("messages").asLong()).isPositive();
        assertThat(sample.path("outcome").path("serverCores").asDouble()).isNotNegative();
        assertThat(sample.path("entrant").asString()).isIn("reactor-netty", "wakeup");
    }

    @Test
    void refusesAnUnknownScenarioNamingTheKnownOnes() {
        assertThat(errorOf("--scenarios=ping")).contains("\"ping\"", "rtt, loaned, sleep, one-way");
    }

    @Test
    void itsHelpNamesAllScenarios() {
        String help = Benchmark.commandLine().getUsageMessage();

        assertThat(Scenario.values())
                .allSatisfy(each -> assertThat(help).containsPattern("\\s" + each.label() + "[,.]"));
    }

    @Test
    void refusesAnUnknownEntrantNamingTheKnownOnes() {
        assertThat(errorOf("--entrants=zeromq", "--quick")).contains("zeromq", "aeron, rsocket, reactor-netty");
    }

    @Test
    void refusesCellsThatDoNotExist() {
        assertThat(errorOf("--cells=ping/32")).contains("\"ping\"", "rtt, loaned, sleep, one-way");
        assertThat(errorOf("--cells=rtt/many")).contains("\"rtt/many\"", "a number of bytes", "\"many\"");
        assertThat(errorOf("--cells=rtt/32/weir-shm/9")).contains("SCENARIO/SIZE/ENTRANT", "\"rtt/32/weir-shm/9\"");
        assertThat(errorOf("--cells=rtt/32/zeromq")).contains("zeromq", "aeron, rsocket, reactor-netty");
        assertThat(errorOf("--cells=rtt,rtt/33")).contains("There is no cell rtt/33/.");
        assertThat(errorOf("--cells=loaned/64/weir-tcp")).contains("There is no cell loaned/64/weir-tcp.");
        assertThat(errorOf("--cells=rtt", "--sizes=32")).contains("in place of --scenarios");
    }

    private static String errorOf(String... arguments) {
        StringWriter said = new StringWriter();
        CommandLine command = Benchmark.commandLine().setErr(new PrintWriter(said));
        assertThat(command.execute(arguments)).isEqualTo(1);
        return said.toString();
    }
}
