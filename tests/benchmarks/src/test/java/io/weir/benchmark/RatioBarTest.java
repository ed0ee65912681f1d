package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RatioBarTest {

    @ParameterizedTest
    @CsvSource({"0.8, MET", "1.25, MET", "1.3, WITHIN_TWO", "2.5, WITHIN_TWO", "2.6, MISSED"})
    void aRoundTripMayTakeSoMuchAtMost(double ratio, Verdict verdict) {
        assertThat(bar(Scenario.RTT, 1.25).verdict(ratio, Stretch.NEAR)).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({"4, MET", "3, MET", "2.9, WITHIN_TWO", "1.5, WITHIN_TWO", "1.4, MISSED"})
    void aRateMustBeSoHighAtLeast(double ratio, Verdict verdict) {
        assertThat(bar(Scenario.ONE_WAY, 3).verdict(ratio, Stretch.NEAR)).isEqualTo(verdict);
    }

    @Test
    void aBarMayBeAnotherOneWhereProcessorsAreFarApart() {
        Cell cell = new Cell(Scenario.ECHO, 32);
        RatioBar bar = new RatioBar("what", "weir-shm", cell, "aeron", cell, 0.65, 1.2, true);

        assertThat(bar.verdict(0.7, Stretch.NEAR)).isEqualTo(Verdict.MET);
        assertThat(bar.verdict(0.7, Stretch.FAR)).isEqualTo(Verdict.WITHIN_TWO);
        assertThat(bar.judge(Standings.of(List.of(), 1)).goal()).isEqualTo(">= 0.65 x aeron, near");
    }

    @Test
    void isNotMeasuredWithoutBoth() {
        Judgement result = bar(Scenario.RTT, 1).judge(Standings.of(List.of(), 1));

        assertThat(result.verdict()).isEqualTo(Verdict.NOT_MEASURED);
        assertThat(result.ratio()).isNull();
    }

    private static RatioBar bar(Scenario scenario, double factor) {
        Cell cell = new Cell(scenario, 32);
        return new RatioBar("what", "weir-shm", cell, "aeron", cell, factor, true);
    }
}
