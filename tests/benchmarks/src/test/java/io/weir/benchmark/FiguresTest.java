package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import org.junit.jupiter.api.Test;

class FiguresTest {

    @Test
    void showsWhatTheCellIsAbout() {
        assertThat(Figures.value(new Cell(Scenario.RTT, 32), 251.0)).isEqualTo("0.25 us");
        assertThat(Figures.value(new Cell(Scenario.ONE_WAY, 32), 33.25e6)).isEqualTo("33.3 M/s");
        assertThat(Figures.value(new Cell(Scenario.ONE_WAY, 1 << 20), 1000.0)).isEqualTo("1.05 GB/s");
        assertThat(Figures.value(new Cell(Scenario.ASK, 32), null)).isEqualTo("-");
    }
}
