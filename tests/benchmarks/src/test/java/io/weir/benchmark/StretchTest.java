package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StretchTest {

    @ParameterizedTest
    @CsvSource({"130, 140, NEAR", "610, 590, FAR", "130, 610, MOVED", "610, 130, MOVED"})
    void isToldByTheRingBeforeAndAfter(long before, long after, Stretch expected) {
        assertThat(Stretch.of(before, after, 120)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"200, 290, NEAR", "430, 480, FAR", "290, 430, MOVED"})
    void aRunWithoutAShortRoundTripIsNotNear(long before, long after, Stretch expected) {
        assertThat(Stretch.of(before, after, Math.min(before, after))).isEqualTo(expected);
    }
}
