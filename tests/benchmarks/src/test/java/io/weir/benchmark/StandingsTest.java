package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Measurement;
import io.weir.benchmark.contender.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StandingsTest {

    private static final Cell RTT = new Cell(Scenario.RTT, 32);
    private static final long NEAR = 130;
    private static final long FAR = 610;

    private final List<Sample> samples = new ArrayList<>();

    @Test
    void takesTheMedianOfTheNearRounds() {
        add("a", "-", 300, NEAR, NEAR, 0);
        add("a", "-", 200, NEAR, NEAR, 0);
        add("a", "-", 250, NEAR, NEAR, 0);
        add("a", "-", 900, FAR, FAR, 0);

        Standing standing = best("a");

        assertThat(standing.value()).isEqualTo(250);
        assertThat(standing.overRing()).isEqualTo(250.0 / NEAR);
        assertThat(standing.stretch()).isEqualTo(Stretch.NEAR);
        assertThat(standing.near()).isEqualTo(3);
        assertThat(standing.far()).isEqualTo(1);
    }

    @Test
    void judgesAllByTheKindOfRoundsThatEverybodyHas() {
        add("a", "-", 300, NEAR, NEAR, 0);
        add("a", "-", 900, FAR, FAR, 0);
        add("b", "-", 800, FAR, FAR, 0);

        assertThat(best("a").value()).isEqualTo(900);
        assertThat(best("b").value()).isEqualTo(800);
    }

    @Test
    void leavesOutWhatWasDisturbedOrMoved() {
        add("a", "-", 300, NEAR, NEAR, 0);
        add("a", "-", 100, NEAR, NEAR, 0.7);
        add("a", "-", 100, NEAR, FAR, 0);

        assertThat(best("a").value()).isEqualTo(300);
        assertThat(best("a").discarded()).isEqualTo(2);
        assertThat(best("a").sound()).isTrue();
    }

    @Test
    void saysSoWhenNothingElseIsLeft() {
        add("a", "-", 300, NEAR, NEAR, 0.7);

        assertThat(best("a").value()).isEqualTo(300);
        assertThat(best("a").sound()).isFalse();
    }

    @Test
    void findsTheBetterVariant() {
        add("a", "slow", 300, NEAR, NEAR, 0);
        add("a", "quick", 200, NEAR, NEAR, 0);
        add("a", "disturbed", 100, NEAR, NEAR, 0.7);

        assertThat(best("a").variant()).isEqualTo("quick");
    }

    @Test
    void goesOnWithWhatReachedTheMost() {
        add("a", "even", 250, NEAR, NEAR, 0);
        add("a", "even", 250, NEAR, NEAR, 0);
        add("a", "cold at first", 900, NEAR, NEAR, 0);
        add("a", "cold at first", 200, NEAR, NEAR, 0);
        add("a", "disturbed", 100, NEAR, NEAR, 0.7);

        assertThat(Standings.mostPromising(samples, "a", RTT, NEAR)).contains("cold at first");
    }

    private Standing best(String entrant) {
        return Standings.of(samples, NEAR).best(entrant, RTT).orElseThrow();
    }

    private void add(String entrant, String variant, long rtt, long ringBefore, long ringAfter, double foreign) {
        Outcome outcome = new Outcome(measured(rtt), 1, 1, foreign, 0, 0, 0, 0, 0, 0);
        samples.add(new Sample(entrant, variant, RTT, 0, outcome, measured(ringBefore), ringBefore, ringAfter));
    }

    private static Measurement measured(long rtt) {
        return new Measurement(1000, 1, rtt, rtt, rtt, 0);
    }
}
