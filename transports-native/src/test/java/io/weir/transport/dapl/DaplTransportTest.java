package io.weir.transport.dapl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Availability;
import io.weir.core.Misconfigured;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.RemoteOptions;
import io.weir.transport.rdma.SlotPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DaplTransportTest {

    private static TransportSettings settings(boolean nativeAllowed, Map<String, String> options) {
        return new TransportSettings(Path.of("unused"), nativeAllowed, options);
    }

    @Test
    void saysWhyItIsMissing() {
        assertThat(new DaplTransport().availability(settings(false, Map.of())))
                .isEqualTo(new Availability.Missing("native code is switched off (weir.native=off)"));
        // Whatever this machine has: no adapter, or one.
        Availability here = new DaplTransport().availability(settings(true, Map.of("adapter", "no-such-adapter")));
        assertThat(here)
                .isInstanceOfSatisfying(
                        Availability.Missing.class,
                        missing -> assertThat(missing.reason()).contains("uDAPL", "dat.conf"));
    }

    @Test
    void optionsHaveDefaultsAndAreAllRead() {
        assertThat(DaplOptions.of(settings(true, Map.of())))
                .isEqualTo(new DaplOptions("", List.of(), new RemoteOptions(new SlotPlan(32, 40 << 10), 64 << 20)));
        Map<String, String> set = Map.of(
                "adapter",
                "ofa-v2-mlx4_0-1",
                "networks",
                "10.1.0.0/16",
                "slots",
                "8",
                "slot-size",
                "1m",
                "pool-size",
                "0");
        assertThat(set.keySet()).isEqualTo(DaplOptions.NAMES);
        DaplOptions read = DaplOptions.of(settings(true, set));
        assertThat(read.networks()).hasToString("[10.1.0.0/16]");
        assertThat(read)
                .isEqualTo(new DaplOptions(
                        "ofa-v2-mlx4_0-1", read.networks(), new RemoteOptions(new SlotPlan(8, 1 << 20), 0)));
    }

    @ParameterizedTest
    @CsvSource({
        "adapter, ../../etc, not the name of an adapter",
        "adapter, a b, not the name of an adapter",
        "networks, rack 5, no network",
        "slots, 7, out of range: from 8 to 1024",
        "slot-size, 40001, not a multiple of 8",
        "pool-size, 2g, out of range"
    })
    void badOnesAreNamed(String option, String value, String text) {
        assertThatThrownBy(() -> DaplOptions.of(settings(true, Map.of(option, value))))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining(option + "=" + value)
                .hasMessageContaining(text);
    }

    @Test
    void whatFailsIsSaidInWords() {
        assertThat(DaplReturn.words(0xc0030007)).isEqualTo("the adapter or the system has no more for us (0xc0030007)");
        assertThat(DaplReturn.words(0xbfff0000)).isEqualTo("an error that we don't know (0xbfff0000)");
        assertThat(DaplReturn.remedy(0x80030000, "; do this")).isEqualTo("; do this");
        assertThat(DaplReturn.remedy(0x80010000, "; do this")).isEmpty();
        assertThat(DtoStatus.lost("sending", 8, "")).hasMessageContaining("the peer does not answer");
        assertThat(DtoStatus.lost("sending", 99, "")).hasMessageContaining("a status that we don't know");
        assertThat(ConnectionEvent.words(0x4005)).isEqualTo("the peer has disconnected (event 0x4005)");
        assertThat(ConnectionEvent.words(0x1234)).isEqualTo("something that we don't know (event 0x1234)");
    }
}
