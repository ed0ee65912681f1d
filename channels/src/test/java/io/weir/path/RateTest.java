package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateTest {

    private static final int MOST = 100;

    private long now = Long.MAX_VALUE - 5;
    private final Rate rate = new Rate(MOST, Duration.ofMillis(10), () -> now);

    private void pass(Duration time) {
        now += time.toNanos();
    }

    /** How many may be tried now, up to this number. */
    private int taken(int most) {
        int taken = 0;
        while (taken < most && rate.take()) {
            taken++;
        }
        return taken;
    }

    @Test
    void soManyAtOnceAndNoMore() {
        assertThat(taken(1000)).isEqualTo(MOST);
        assertThat(rate.take()).isFalse();
    }

    @Test
    void soManyInEachSecondFromThenOn() {
        assertThat(taken(1000)).isEqualTo(MOST);
        for (int second = 0; second < 5; second++) {
            pass(Duration.ofSeconds(1));
            assertThat(taken(1000)).isEqualTo(MOST);
        }
    }

    @Test
    void whoRestsLongMayNotTryMoreAfterwards() {
        pass(Duration.ofDays(100));
        assertThat(taken(1000)).isEqualTo(MOST);
    }

    /** Parts of an interval are not lost, however often it is asked. */
    @Test
    void whoAsksAllTheTimeGetsNoLess() {
        assertThat(taken(1000)).isEqualTo(MOST);
        int taken = 0;
        for (int i = 0; i < 3000; i++) {
            pass(Duration.ofNanos(3_333_333));
            taken += rate.take() ? 1 : 0;
        }
        // In ten seconds.
        assertThat(taken).isBetween(10 * MOST - 1, 10 * MOST);
    }

    @Test
    void whoLooksForEveryPathEach100MillisecondsIsWithinIt() {
        for (int i = 0; i < 600; i++) {
            assertThat(taken(10)).isEqualTo(10);
            pass(Duration.ofMillis(100));
        }
    }
}
