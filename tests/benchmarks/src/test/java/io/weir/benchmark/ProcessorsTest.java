package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ProcessorsTest {

    @Test
    void readsTheKernelsLists() {
        assertThat(Processors.parse("0-2,5")).containsExactly(0, 1, 2, 5);
        assertThat(Processors.parse("3")).containsExactly(3);
    }

    @Test
    void oneProcessorIsNotEnough() {
        assertThatThrownBy(() -> new Processors(1, 1)).hasMessageContaining("a processor each");
    }
}
