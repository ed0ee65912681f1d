package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Measurement;
import io.weir.benchmark.contender.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimitBarTest {

    private static final Cell STALL = new Cell(Scenario.STALL, 32);

    private final LimitBar bar =
            new LimitBar("held", "weir-shm", STALL, Standing::serverHeldBytes, 4 << 20, Figures::mebibytes);

    @Test
    void isMetUpToTheLimit() {
        Judgement judgement = bar.judge(held(3 << 20));

        assertThat(judgement.verdict()).isEqualTo(Verdict.MET);
        assertThat(judgement.ours()).isEqualTo("3.00 MiB");
        assertThat(judgement.goal()).isEqualTo("<= 4.00 MiB");
    }

    @Test
    void isMissedAboveTwiceTheLimit() {
        assertThat(bar.judge(held(7 << 20)).verdict()).isEqualTo(Verdict.WITHIN_TWO);
        assertThat(bar.judge(held(9 << 20)).verdict()).isEqualTo(Verdict.MISSED);
    }

    private static Standings held(long bytes) {
        Measurement nothing = new Measurement(0, 1, 0, 0, 0, 0);
        Outcome outcome = new Outcome(nothing, 0, 0, 0, 0, 0, 0, 0, 0, bytes);
        return Standings.of(List.of(new Sample("weir-shm", "-", STALL, 0, outcome, nothing, 130, 130)), 130);
    }
}
