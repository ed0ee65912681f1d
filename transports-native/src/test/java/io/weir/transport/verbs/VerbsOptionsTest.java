package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.LinkMemory;
import io.weir.transport.rdma.RemoteOptions;
import io.weir.transport.rdma.SlotPlan;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerbsOptionsTest {

    private static VerbsOptions options(Map<String, String> options) {
        return VerbsOptions.of(new TransportSettings(Path.of("unused"), true, options));
    }

    @Test
    void haveDefaults() {
        assertThat(options(Map.of()))
                .isEqualTo(new VerbsOptions(
                        new VerbsOptions.Choice("", -1, -1),
                        new VerbsOptions.Retries(14, 6),
                        new RemoteOptions(new SlotPlan(32, 40 << 10), 64 << 20)));
    }

    @Test
    void areAllRead() {
        Map<String, String> set = Map.of(
                "device", "mlx5_0",
                "port", "2",
                "gid-index", "0",
                "timeout", "31",
                "retry-count", "0",
                "slots", "1024",
                "slot-size", "1m",
                "pool-size", "0");
        assertThat(set.keySet()).isEqualTo(VerbsOptions.NAMES);
        assertThat(options(set))
                .isEqualTo(new VerbsOptions(
                        new VerbsOptions.Choice("mlx5_0", 2, 0),
                        new VerbsOptions.Retries(31, 0),
                        new RemoteOptions(new SlotPlan(1024, 1 << 20), 0)));
    }

    @Test
    void sayHowMuchMemoryTheyLock() {
        assertThat(options(Map.of("slots", "8", "slot-size", "36k", "pool-size", "1g"))
                        .memory()
                        .lockedBytes())
                .isEqualTo(16L * (36 << 10) + LinkMemory.BOUNCE);
        assertThat(options(Map.of("slots", "1024", "slot-size", "1m", "pool-size", "1g"))
                        .memory()
                        .lockedBytes())
                .isEqualTo((2L << 30) + LinkMemory.BOUNCE);
    }

    @ParameterizedTest
    @CsvSource({
        "device, ../../etc, not the name of a device",
        "device, ., not the name of a device",
        "device, mlx5 0, not the name of a device",
        "port, 0, out of range: from 1 to 255",
        "port, 256, out of range",
        "port, one, not a number",
        "gid-index, -1, out of range: from 0",
        "gid-index, 32768, out of range",
        "timeout, 0, out of range: from 1 to 31",
        "timeout, 32, out of range",
        "timeout, 67ms, not a number",
        "retry-count, 8, out of range: from 0 to 7",
        "slots, 7, out of range: from 8 to 1024",
        "slots, 1025, out of range",
        "slot-size, 35k, out of range: from 36864",
        "slot-size, 2m, out of range",
        "slot-size, 40001, not a multiple of 8",
        "pool-size, 2g, out of range",
        "pool-size, -1, not a size",
        "pool-size, much, not a size"
    })
    void badOnesAreNamed(String option, String value, String text) {
        assertThatThrownBy(() -> options(Map.of(option, value)))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining(option + "=" + value)
                .hasMessageContaining(text);
    }
}
