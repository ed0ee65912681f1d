package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoundTripTimesTest {

    private static final long SLICE = RoundTripTimes.SLICE_NANOS;

    private final RoundTripTimes times = new RoundTripTimes();

    private static void assertNear(Duration read, long nanos) {
        assertThat(read.toNanos()).isBetween(nanos, nanos + nanos / 8);
    }

    @Test
    void nothingYet() {
        assertThat(times.all()).isEqualTo(RoundTrips.NONE);
        assertThat(times.lately(0)).isEqualTo(RoundTrips.NONE);
    }

    @ParameterizedTest
    @ValueSource(longs = {64, 65, 100, 999, 1_000, 1_023, 1_024, 123_456_789, 3_600_000_000L, 900_000_000_000L})
    void oneIsAllPercentiles(long nanos) {
        times.add(nanos, -5);
        times.add(nanos - 1, -5);
        RoundTrips read = times.all();
        assertThat(read.count()).isEqualTo(2);
        assertThat(read.max()).isEqualTo(Duration.ofNanos(nanos));
        assertThat(read.p99()).isEqualTo(Duration.ofNanos(nanos));
        assertThat(read.p50().toNanos()).isBetween(nanos - 1, nanos);
    }

    @Test
    void percentilesOfMany() {
        for (int i = 1; i <= 1_000; i++) {
            times.add(1_000L * i, SLICE);
        }
        RoundTrips read = times.all();
        assertThat(read.count()).isEqualTo(1_000);
        assertNear(read.p50(), 500_000);
        assertNear(read.p90(), 900_000);
        assertNear(read.p99(), 990_000);
        assertThat(read.max()).isEqualTo(Duration.ofMillis(1));
        assertThat(times.lately(SLICE)).isEqualTo(read);
    }

    @Test
    void oneOfAHundredIsNotThePercentile() {
        for (int i = 0; i < 99; i++) {
            times.add(1_000, 0);
        }
        times.add(1_000_000, 0);
        assertNear(times.all().p99(), 1_000);
        times.add(1_000_000, 0);
        assertNear(times.all().p99(), 1_000_000);
    }

    @Test
    void anyLengthHasAPlace() {
        for (long nanos : new long[] {Long.MIN_VALUE, -1, 0, 1, 63, Long.MAX_VALUE}) {
            times.add(nanos, 0);
        }
        assertThat(times.all().count()).isEqualTo(6);
        assertThat(times.all().max()).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
    }

    @Test
    void whatIsOldIsOnlyInTheWhole() {
        long begin = Long.MAX_VALUE / SLICE * SLICE - 100 * SLICE;
        times.add(1_000, begin);
        times.add(2_000, begin + 2 * SLICE);
        assertThat(times.lately(begin + 4 * SLICE - 1).count()).isEqualTo(2);
        assertThat(times.lately(begin + 4 * SLICE).count()).isEqualTo(1);
        assertThat(times.lately(begin + 6 * SLICE).count()).isZero();
        times.add(3_000, begin + 8 * SLICE);
        assertThat(times.lately(begin + 8 * SLICE).max()).isEqualTo(Duration.ofNanos(3_000));
        assertThat(times.all().count()).isEqualTo(3);
    }
}
