package io.weir.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecisionTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ns",
        "PT0.000000850S, 850 ns",
        "PT0.000001S, 1 us",
        "PT0.000001234S, 1.2 us",
        "PT0.00000996S, 10 us",
        "PT0.000018S, 18 us",
        "PT0.0009996S, 1 ms",
        "PT0.0034S, 3.4 ms",
        "PT0.25S, 250 ms",
        "PT0.9996S, 1 s",
        "PT2S, 2 s",
        "PT2M, 120 s"
    })
    void printsTimesWithTwoDigits(Duration time, String text) {
        assertThat(DecisionText.of(time)).isEqualTo(text);
    }
}
