package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Availability;
import io.weir.core.Misconfigured;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(NothingLeft.class)
class ShmTransportTest {

    private final Transport transport = new ShmTransport();

    private static TransportSettings settings(boolean nativeAllowed, Map<String, String> options) {
        return new TransportSettings(Path.of("unused"), nativeAllowed, options);
    }

    private static PeerCard card(String boot, long uid) {
        return new PeerCard(
                new PeerId(UUID.randomUUID(), "peer", 1), boot, uid, "p", "far-away", 7, Map.of(), Map.of());
    }

    @Test
    void isFoundByItsName() {
        assertThat(ServiceLoader.load(Transport.class))
                .anyMatch(found -> found.name().equals("shm"));
    }

    @Test
    void isReadyHere() {
        assertThat(transport.availability(settings(true, Map.of()))).isEqualTo(new Availability.Ready());
    }

    @Test
    void isMissingWithASentenceWhereNativeCodeIsSwitchedOff() {
        assertThat(transport.availability(settings(false, Map.of())))
                .isEqualTo(new Availability.Missing("native code is switched off (weir.native=off)"));
    }

    @ParameterizedTest
    @CsvSource({
        "ring-size, 100000, power of two",
        "ring-size, 32k, out of range",
        "ring-size, huge, not a size",
        "pool-size, 65537, multiple of 16384",
        "pool-size, 2g, out of range",
        "copy-in, maybe, not a switch"
    })
    void badOptionsAreNamed(String option, String value, String text) {
        assertThat(transport.options()).contains(option);
        assertThatThrownBy(() -> transport.availability(settings(true, Map.of(option, value))))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining(option + "=" + value)
                .hasMessageContaining(text);
    }

    @Test
    void reachesProcessesOfOurUserOnOurHost() {
        assertThat(transport.reaches(card("b", 5), card("b", 5))).isNull();
        assertThat(transport.reaches(card("b", 5), card("c", 5))).contains("another host", "far-away");
        assertThat(transport.reaches(card("b", 5), card("b", 6))).contains("another user", "uid 6", "5");
        assertThat(transport.reaches(card("", 5), card("", 5))).contains("unknown");
        assertThat(transport.reaches(card("b", -1), card("b", -1))).contains("another user");
    }
}
