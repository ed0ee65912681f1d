package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NodeSettingsTest {

    private static final NodeSpec PLAIN = NodeSpec.builder().build();

    static Stream<NodeSetting<?>> rows() {
        return NodeSettings.all().stream();
    }

    @Test
    void eachNameHasOneRow() {
        assertThat(rows().map(NodeSetting::name)).doesNotHaveDuplicates().allMatch(name -> name.startsWith("weir."));
    }

    @ParameterizedTest
    @MethodSource("rows")
    <T> void whatARowWritesItReads(NodeSetting<T> row) {
        T value = row.of().apply(PLAIN);
        String text = value == null ? "" : row.form().write().apply(value);
        if (text.isEmpty()) {
            // An empty list can't be written, nor what is not there.
            assertThat(row instanceof NodeSetting.Part || row == NodeSettings.ADVERTISE)
                    .isTrue();
            return;
        }
        NodeSpec.Builder read = row.read(NodeSpec.builder(), new Setting(row.name(), text));
        assertThat(row.of().apply(read.build())).isEqualTo(value);
        assertThat(row.difference(read.build(), PLAIN)).isNull();
    }

    static Stream<NodeSetting.Value<?>> values() {
        return NodeSettings.values();
    }

    @ParameterizedTest
    @MethodSource("values")
    <T> void theDefaultMayBeUsed(NodeSetting.Value<T> row) {
        row.check(row.of().apply(PLAIN));
    }

    @Test
    void aDifferenceIsWrittenAsAProperty() {
        NodeSpec other =
                NodeSpec.builder().properties(Map.of("weir.loops", "3")).build();
        assertThat(NodeSettings.LOOPS.difference(other, PLAIN)).isEqualTo("weir.loops=3");
        assertThat(NodeSettings.NAME.difference(other, PLAIN)).isNull();
    }

    @Test
    void aRefusalNamesTheProperty() {
        assertThatThrownBy(() -> NodeSettings.LOOPS.check(257))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.loops=257 is out of range: 1 to 256");
    }
}
