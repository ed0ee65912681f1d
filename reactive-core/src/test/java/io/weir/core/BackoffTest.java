package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static Backoff backoff(double random) {
        return new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), () -> random);
    }

    private static List<Long> millis(Backoff backoff, int count) {
        return Stream.generate(backoff::next)
                .limit(count)
                .map(Duration::toMillis)
                .toList();
    }

    @Test
    void doublesUpToTheLongest() {
        assertThat(millis(backoff(0.5), 9))
                .containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 10_000L, 10_000L);
    }

    @Test
    void isAQuarterMoreOrLess() {
        assertThat(millis(backoff(0), 3)).containsExactly(75L, 150L, 300L);
        assertThat(millis(backoff(1), 3)).containsExactly(125L, 250L, 500L);
    }

    @Test
    void beginsAnew() {
        Backoff backoff = backoff(0.5);
        assertThat(backoff.longest()).isEqualTo(Duration.ofSeconds(10));
        assertThat(millis(backoff, 2)).containsExactly(10_000L, 10_000L);
        backoff.reset();
        assertThat(millis(backoff, 2)).containsExactly(100L, 200L);
    }
}
