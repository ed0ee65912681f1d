package io.weir.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.weir.fabric.Outcome.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutcomeTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a sentence", "at a\n\tat b\r\n", "C:\\new\\\\table\\", "\\t is no tab \t", "\"quoted\" 'ä'"
            })
    void comesBackFromItsLine(String text) {
        Outcome outcome = new Outcome("SomeInGuest", "test(" + text + ")", Kind.FAILED, Duration.ofMillis(1234), text);

        assertThat(outcome.toLine()).doesNotContain("\n").doesNotContain("\r");
        assertThat(Outcome.parse(outcome.toLine())).isEqualTo(outcome);
    }

    @Test
    void aLineThatWasCutIsNone() {
        String line = new Outcome("SomeInGuest", "test()", Kind.PASSED, Duration.ZERO, "").toLine();

        assertThatIllegalArgumentException().isThrownBy(() -> Outcome.parse(line.substring(0, line.length() - 1)));
    }
}
