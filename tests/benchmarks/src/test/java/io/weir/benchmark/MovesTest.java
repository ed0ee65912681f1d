package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether it measures, not what. */
@Tag("one-jdk")
class MovesTest {

    @Test
    void measuresWhatAMoveCosts() throws InterruptedException {
        assumeTrue(
                System.getProperty("os.name").equals("Linux"),
                "shared memory between processes is made of what Linux has");
        List<String> said = new ArrayList<>();

        List<Judgement> bars = Moves.quick().measure(false, said::add);

        assertThat(said).containsExactly("moves: 2 rounds");
        assertThat(bars).hasSize(3).allSatisfy(bar -> {
            assertThat(bar.ratio()).isPositive();
            assertThat(bar.conclusion()).endsWith(", no quiet round");
            assertThat(bar.verdict()).isNotEqualTo(Verdict.NOT_MEASURED);
        });
        assertThat(bars.get(0).what()).contains("median");
        assertThat(bars.get(1).what()).contains("worst of 2");
        assertThat(bars.get(2).goal()).isEqualTo("<= 1.50 x staying");
    }
}
