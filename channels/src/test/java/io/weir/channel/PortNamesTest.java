package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PortNamesTest {

    @ParameterizedTest
    @ValueSource(strings = {"a", "prices", "com.example.Ledger/v2", "Gr\u00f6\u00dfe und Preis"})
    void aPortMayHaveAnyNameOfAFewCharacters(String name) {
        assertThatCode(() -> PortNames.check(name)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void aPortHasAName(String name) {
        assertThatThrownBy(() -> PortNames.check(name))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("'" + name + "'");
    }

    @Test
    void itsLengthCountsInBytes() {
        assertThatCode(() -> PortNames.check("x".repeat(PortNames.LONGEST))).doesNotThrowAnyException();
        assertThatThrownBy(() -> PortNames.check("x".repeat(PortNames.LONGEST + 1)))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("255");
        // Two bytes each.
        assertThatCode(() -> PortNames.check("\u00e4".repeat(127))).doesNotThrowAnyException();
        assertThatThrownBy(() -> PortNames.check("\u00e4".repeat(128))).isInstanceOf(Misconfigured.class);
    }

    @Test
    void callbacksOfWhatHasBegunGoToThePortsOfReferences() {
        assertThat(PortNames.endsWhatHasBegun("weir.references")).isTrue();
        assertThat(PortNames.endsWhatHasBegun("weir.references.streams")).isTrue();
        assertThat(PortNames.endsWhatHasBegun("prices")).isFalse();
        assertThat(PortNames.endsWhatHasBegun("my.weir.references")).isFalse();
    }
}
