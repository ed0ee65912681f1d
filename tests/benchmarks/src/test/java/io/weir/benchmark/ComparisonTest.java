package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.benchmark.Comparison.Finding;
import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Measurement;
import io.weir.benchmark.contender.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparisonTest {

    private static final Cell RTT = new Cell(Scenario.RTT, 32);
    private static final Cell ONE_WAY = new Cell(Scenario.ONE_WAY, 32);
    private static final long NEAR = 130;
    private static final OtherVersion OTHER = new OtherVersion("old", "");

    private final List<Sample> samples = new ArrayList<>();

    @Test
    void aShorterRoundTripIsFaster() {
        add(RTT, "weir-shm@old", 400, 404, 396);
        add(RTT, "weir-shm", 300, 303, 297);

        Comparison.Change change = only();

        assertThat(change.finding()).isEqualTo(Finding.FASTER);
        assertThat(change.ratio()).isEqualTo(400.0 / 300);
        assertThat(change.spread()).isEqualTo(0.01);
    }

    @Test
    void fewerMessagesInASecondAreSlower() {
        add(ONE_WAY, "weir-shm@old", 10e6, 10.1e6, 9.9e6);
        add(ONE_WAY, "weir-shm", 9e6, 9.1e6, 8.9e6);

        assertThat(only().finding()).isEqualTo(Finding.SLOWER);
        assertThat(compare().isSlower()).isTrue();
    }

    @Test
    void whatLiesWithinTheRoundsIsNoDifference() {
        add(ONE_WAY, "weir-shm@old", 10e6, 12e6, 8e6);
        add(ONE_WAY, "weir-shm", 8.1e6, 8e6, 8.2e6);

        assertThat(only().finding()).isEqualTo(Finding.SAME);
        assertThat(compare().isSlower()).isFalse();
    }

    @Test
    void twoRoundsSayNothing() {
        add(ONE_WAY, "weir-shm@old", 10e6, 10e6, 10e6);
        add(ONE_WAY, "weir-shm", 1e6, 1e6);

        assertThat(only().finding()).isEqualTo(Finding.UNKNOWN);
        assertThat(compare().isSlower()).isFalse();
    }

    @Test
    void whoeverWasMeasuredInOneVersionOnlyIsLeftOut() {
        add(ONE_WAY, "aeron", 10e6, 10e6, 10e6);
        add(ONE_WAY, "weir-tcp@old", 10e6, 10e6, 10e6);

        assertThat(compare().changes()).isEmpty();
    }

    @Test
    void anotherVersionIsFoundWhereItWasBuilt(@TempDir Path folder) throws IOException {
        Path checkout = folder.resolve("before");
        assertThatThrownBy(() -> OtherVersion.in(checkout))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("run tests/benchmarks/run --quick there first");
        Path target = checkout.resolve("tests/benchmarks/target");
        Files.createDirectories(target.resolve("classes"));
        Files.writeString(target.resolve("benchmarks.classpath"), "/a.jar:/b.jar\n");

        OtherVersion found = OtherVersion.in(checkout);

        assertThat(found.label("weir-shm")).isEqualTo("weir-shm@before");
        assertThat(found.classPath()).isEqualTo(target.resolve("classes") + ":/a.jar:/b.jar");
    }

    private Comparison.Change only() {
        List<Comparison.Change> changes = compare().changes();
        assertThat(changes).hasSize(1);
        return changes.get(0);
    }

    private Comparison compare() {
        return Comparison.of(samples, Standings.of(samples, NEAR), NEAR, OTHER);
    }

    private void add(Cell cell, String entrant, double... values) {
        for (double value : values) {
            Measurement measured = new Measurement((long) value, 1, (long) value, (long) value, (long) value, 0);
            Outcome outcome = new Outcome(measured, 1, 1, 0, 0, 0, 0, 0, 0, 0);
            Measurement ring = new Measurement(1000, 1, NEAR, NEAR, NEAR, 0);
            samples.add(new Sample(entrant, "-", cell, 0, outcome, ring, NEAR, NEAR));
        }
    }
}
