package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Disposables;

class SurveyTest {

    private final Disposable limit = Disposables.single();
    private final Survey survey = new Survey(List.of("local", "shm", "tcp", "gm"), limit);

    @Test
    void eachIsMeasuredOnceAndTcpFirst() {
        assertThat(List.of(survey.next(), survey.next(), survey.next(), survey.next()))
                .containsExactly("tcp", "local", "shm", "gm");
        assertThat(survey.next()).isNull();
    }

    @Test
    void theFastestIsTheFirst() {
        survey.measured("tcp", Duration.ofNanos(30));
        survey.measured("local", Duration.ofNanos(20));
        survey.measured("shm", Duration.ofNanos(10));
        survey.measured("gm", Duration.ofNanos(20));
        assertThat(survey.ranking()).containsExactly("shm", "local", "gm", "tcp");
    }

    @Test
    void whatWasNotMeasuredFollowsInItsOrder() {
        assertThat(survey.ranking()).containsExactly("local", "shm", "tcp", "gm");
        survey.measured("tcp", Duration.ofNanos(30));
        assertThat(survey.ranking()).containsExactly("tcp", "local", "shm", "gm");
    }

    @Test
    void itsLimitEndsWithIt() {
        survey.end();
        assertThat(limit.isDisposed()).isTrue();
    }
}
