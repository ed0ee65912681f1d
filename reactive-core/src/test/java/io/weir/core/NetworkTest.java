package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {

    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/16, 10.1.255.7, true",
        "10.1.0.0/16, 10.2.0.1, false",
        "10.1.2.128/25, 10.1.2.127, false",
        "10.1.2.128/25, 10.1.2.128, true",
        "0.0.0.0/0, 127.0.0.1, true",
        "0.0.0.0/0, ::1, false",
        "10.1.2.3, 10.1.2.3, true",
        "10.1.2.3, 10.1.2.4, false",
        "fd00::/8, fd12::1, true",
        "fd00::/8, fe80::1, false",
        "::ffff:10.0.0.0/8, 10.1.2.3, true",
        "10.0.0.0/8, ::ffff:10.0.0.1, true"
    })
    void holdsItsAddresses(String network, String address, boolean holds) throws UnknownHostException {
        assertThat(Objects.requireNonNull(Network.read(network)).holds(InetAddress.getByName(address)))
                .isEqualTo(holds);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "10.1.0.0/33",
                "10.1.0.0/-1",
                "10.1.0.0/",
                "10.1.0/24",
                "fd00::/129",
                "10.1.0.0/16/1"
            })
    void whatIsNoneIsNotLookedUp(String text) {
        assertThat(Network.read(text)).isNull();
    }

    @Test
    void severalStandInAnOption() {
        TransportSettings settings = new TransportSettings(
                Path.of("unused"), true, Map.of("some", "10.1.0.0/16, fd00::/8,192.0.2.7", "bad", "10.1.0.0/16,here"));
        assertThat(settings.networks("some")).hasToString("[10.1.0.0/16, fd00::/8, 192.0.2.7]");
        assertThat(settings.networks("none")).isEqualTo(List.of());
        assertThatThrownBy(() -> settings.networks("bad"))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("bad=10.1.0.0/16,here can't be used: 'here' is no network; write such as 10.1.0.0/16, "
                        + "several with"
                        + " commas between them");
    }
}
