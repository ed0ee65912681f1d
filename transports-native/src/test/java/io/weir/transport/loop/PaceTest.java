package io.weir.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Waiting;
import org.junit.jupiter.api.Test;

class PaceTest {

    /** A turn takes this long. */
    private static final long TURN = 10;

    /** How long a balanced loop looks, in nanoseconds. */
    private static final long BUDGET = 50_000;

    private long now = 1_000_000;

    private Pace pace(Waiting waiting) {
        return new Pace(waiting, () -> now);
    }

    private boolean idleTurn(Pace pace) {
        now += TURN;
        pace.turn(0);
        return pace.restDue();
    }

    /** How long the loop looks for work, in vain, until it sleeps. */
    private long look(Pace pace) {
        long start = now;
        while (!idleTurn(pace)) {
            assertThat(now - start).isLessThan(1_000_000);
        }
        return now - start;
    }

    private void sleep(Pace pace, long nanos) {
        pace.resting();
        now += nanos;
        pace.rested();
    }

    @Test
    void frugalSleepsAtOnceAndLatencyNever() {
        assertThat(look(pace(Waiting.FRUGAL))).isEqualTo(TURN);
        Pace latency = pace(Waiting.LATENCY);
        for (int i = 0; i < 100_000; i++) {
            assertThat(idleTurn(latency)).isFalse();
        }
    }

    @Test
    void balancedLooksForItsTimeThenSleeps() {
        assertThat(look(pace(Waiting.BALANCED))).isBetween(BUDGET, BUDGET + 3 * 16 * TURN);
    }

    @Test
    void balancedStopsLookingForWhatDoesNotComeAndTriesAgainNowAndThen() {
        Pace pace = pace(Waiting.BALANCED);
        for (int i = 0; i < 3; i++) {
            assertThat(look(pace)).isGreaterThan(BUDGET);
            sleep(pace, 60_000);
        }
        for (int breakLength = 8; breakLength <= 2_048; breakLength *= 2) {
            for (int i = 0; i < Math.min(breakLength, 256); i++) {
                assertThat(look(pace)).isEqualTo(TURN);
                sleep(pace, 60_000);
            }
            assertThat(look(pace)).as("after %s rests", breakLength).isGreaterThan(BUDGET);
            sleep(pace, 60_000);
        }
    }

    @Test
    void balancedLooksAgainWhenItHardlySlept() {
        Pace pace = pace(Waiting.BALANCED);
        for (int i = 0; i < 4; i++) {
            sleep(pace, look(pace) + 60_000);
        }
        assertThat(look(pace)).isEqualTo(TURN);
        sleep(pace, 6_000);
        assertThat(look(pace))
                .as("a processor may have been woken in that time")
                .isEqualTo(TURN);
        sleep(pace, 4_000);
        assertThat(look(pace)).isGreaterThan(BUDGET);
    }

    @Test
    void balancedOffersItsProcessorToOthersWhenNothingCameAtOnce() {
        Pace pace = pace(Waiting.BALANCED);
        long start = now;
        boolean offered = false;
        while (!offered) {
            assertThat(idleTurn(pace)).isFalse();
            offered = pace.yieldDue();
        }
        assertThat(now - start).isBetween(5_000L, 5_000L + 3 * 16 * TURN);
        now += TURN;
        pace.turn(1);
        pace.worked();
        assertThat(pace.yieldDue()).isFalse();

        Pace latency = pace(Waiting.LATENCY);
        for (int i = 0; i < 10_000; i++) {
            assertThat(idleTurn(latency)).isFalse();
            assertThat(latency.yieldDue()).isFalse();
        }
    }

    @Test
    void balancedGoesOnLookingWhenThatFindsWork() {
        Pace pace = pace(Waiting.BALANCED);
        for (int round = 0; round < 100; round++) {
            assertThat(look(pace)).isGreaterThan(BUDGET);
            sleep(pace, 60_000);
            for (int i = 0; i < 50; i++) {
                assertThat(idleTurn(pace)).isFalse();
            }
            now += TURN;
            pace.turn(1);
            pace.worked();
        }
    }

    @Test
    void tellsWorkThatTakesLongFromSleep() {
        Pace pace = pace(Waiting.FRUGAL);
        assertThat(idleTurn(pace)).isTrue();
        sleep(pace, 1_000_000_000);
        assertThat(pace.stalls()).isZero();
        assertThat(pace.stallToWarnOf()).isZero();

        pace.resting();
        now += 1_000_000_000;
        pace.woken();
        now += 12_000_000;
        pace.woken();
        pace.rested();
        assertThat(pace.stalls()).isEqualTo(1);
        for (int i = 2; i <= 11; i++) {
            assertThat(pace.stallToWarnOf()).isZero();
            now += 100_000_000 + i;
            sleep(pace, 5);
            assertThat(pace.stalls()).isEqualTo(i);
        }
        assertThat(pace.stallToWarnOf()).isEqualTo(100_000_011);

        for (int i = 0; i < 10; i++) {
            now += 340_000_000;
            sleep(pace, 5);
        }
        assertThat(pace.stallToWarnOf()).as("so soon").isZero();
        sleep(pace, 61_000_000_000L);
        assertThat(pace.stallToWarnOf()).isEqualTo(340_000_000);
        assertThat(pace.stallToWarnOf()).isZero();
        for (int i = 0; i < 100; i++) {
            now += 99_000_000;
            sleep(pace, 61_000_000_000L);
        }
        assertThat(pace.stallToWarnOf()).as("none of them long").isZero();
    }

    @Test
    void socketsAreLookedAtSeldomWhilePollingFindsWorkAndOftenWhileItDoesNot() {
        Pace busy = pace(Waiting.LATENCY);
        int looks = 0;
        for (int i = 0; i < 10_000; i++) {
            now += TURN;
            busy.turn(1);
            looks += busy.socketsDue() ? 1 : 0;
            busy.worked();
        }
        assertThat(looks).isBetween(4, 5);
        Pace quiet = pace(Waiting.LATENCY);
        looks = 0;
        for (int i = 0; i < 10_000; i++) {
            assertThat(idleTurn(quiet)).isFalse();
            looks += quiet.socketsDue() ? 1 : 0;
        }
        assertThat(looks).isBetween(550, 625);
    }
}
