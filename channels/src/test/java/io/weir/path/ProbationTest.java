package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.ManualLoop;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProbationTest {

    private static final Duration SHORTEST = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final ManualLoop loop = new ManualLoop();
    private final Probation probation = new Probation(SHORTEST);

    private void is(Duration expected) {
        for (int i = 0; i < 100; i++) {
            assertThat(probation.jittered())
                    .isBetween(
                            expected.multipliedBy(4).dividedBy(5),
                            expected.multipliedBy(6).dividedBy(5));
        }
    }

    @Test
    void itBeginsWithTheShortest() {
        is(SHORTEST);
        assertThat(probation.shortest()).isEqualTo(SHORTEST);
    }

    /** Or all sessions of a node whose peer has a device back would try in the same moment. */
    @Test
    void noTwoAreLikelyToBeTheSame() {
        assertThat(probation.jittered()).isNotEqualTo(probation.jittered());
    }

    @Test
    void itIsTwiceAsLongEachTimeUpToAMinute() {
        probation.prolong();
        is(SHORTEST.multipliedBy(2));
        for (int i = 0; i < 20; i++) {
            probation.prolong();
        }
        is(LONGEST);
    }

    /** Somebody who has asked for a longer one gets it, and no longer one. */
    @Test
    void oneThatIsLongerThanAMinuteIsNeitherCutToOneNorProlonged() {
        Probation patient = new Probation(Duration.ofHours(1));
        for (int i = 0; i < 100; i++) {
            patient.prolong();
            assertThat(patient.jittered()).isBetween(Duration.ofMinutes(48), Duration.ofMinutes(72));
        }
    }

    @Test
    void aSessionThatLivesForAMinuteBeginsAnew() {
        probation.prolong();
        probation.mayEnd(loop);
        loop.advance(LONGEST.minusMillis(1));
        is(SHORTEST.multipliedBy(2));
        loop.advance(Duration.ofMillis(1));
        is(SHORTEST);
    }

    @Test
    void aLossBeginsTheMinuteAnew() {
        probation.prolong();
        probation.mayEnd(loop);
        loop.advance(LONGEST.dividedBy(2));
        probation.provesNothing();
        probation.mayEnd(loop);
        loop.advance(LONGEST.dividedBy(2));
        is(SHORTEST.multipliedBy(2));
        loop.advance(LONGEST.dividedBy(2));
        is(SHORTEST);
    }

    /** Whoever says so again and again must not put it off. */
    @Test
    void theMinuteIsCountedOnce() {
        probation.prolong();
        probation.mayEnd(loop);
        loop.advance(LONGEST.dividedBy(2));
        probation.mayEnd(loop);
        loop.advance(LONGEST.dividedBy(2));
        is(SHORTEST);
    }

    /** A timer keeps its loop from ending. */
    @Test
    void theShortestNeedsNoTimer() {
        probation.mayEnd(loop);
        assertThat(loop.timers()).isZero();
    }

    @Test
    void aSessionThatEndsLeavesNoTimer() {
        probation.prolong();
        probation.mayEnd(loop);
        assertThat(loop.timers()).isOne();
        probation.provesNothing();
        assertThat(loop.timers()).isZero();
    }
}
