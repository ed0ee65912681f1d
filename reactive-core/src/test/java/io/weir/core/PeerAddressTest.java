package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerAddressTest {

    @ParameterizedTest
    @CsvSource({
        "tcp://db1:7400,         db1,            7400,  tcp://db1:7400",
        "db1:7400,               db1,            7400,  tcp://db1:7400",
        "10.0.0.7:1,             10.0.0.7,       1,     tcp://10.0.0.7:1",
        "tcp://[::1]:7400,       ::1,            7400,  tcp://[::1]:7400",
        "[fe80::1%eth0]:0,       fe80::1%eth0,   0,     tcp://[fe80::1%eth0]:0",
        "[db1]:7400,             db1,            7400,  tcp://db1:7400",
        "db1:65535,              db1,            65535, tcp://db1:65535",
        "db1:007,                db1,            7,     tcp://db1:7",
        "unix:/run/weir/a.sock,  /run/weir/a.sock, -1,  unix:/run/weir/a.sock",
        "unix:a b:c,             a b:c,          -1,    unix:a b:c",
    })
    void reads(String text, String host, int port, String printed) {
        PeerAddress address = PeerAddress.parse(text);

        assertThat(address).isEqualTo(new PeerAddress(host, port));
        assertThat(address.isUnix()).isEqualTo(port == -1);
        assertThat(address).hasToString(printed);
        assertThat(PeerAddress.parse(printed)).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "db1",
                "db1:",
                ":7400",
                "tcp://",
                "tcp://db1",
                "db1:http",
                "db1:-1",
                "db1:-0",
                "db1:+80",
                "db1: 80",
                "db1:8 0",
                "db1:\u0668\u0660",
                "db1:99999999999999999999",
                "::1:7400",
                "[::1]",
                "[::1]7400",
                "[::1",
                "a:b:1",
                "http://db1:80",
                "tcp://db1:80/path",
                "TCP://db1:80",
                "tcp:db1:80"
            })
    void refusesWhatIsNoAddressAndSaysWhatIs(String text) {
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> PeerAddress.parse(text))
                .withMessage("'" + text + "' is not a peer's address: write tcp://host:port, host:port,"
                        + " tcp://[ipv6]:port or unix:/path");
    }

    @ParameterizedTest
    @ValueSource(strings = {" db1", "db 1", "db1\n", "a[b", "\u0007", "x:y.example", "fe80::1:x", "::1%"})
    void refusesWhatIsNoHost(String host) {
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> new PeerAddress(host, 80))
                .withMessage("'" + ForeignText.harmless(host)
                        + "' is not a host: write tcp://host:port or tcp://[ipv6]:port");
        assertThatExceptionOfType(Misconfigured.class).isThrownBy(() -> PeerAddress.parse(host + ":80"));
    }

    @Test
    void refusesAnEmptyHost() {
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> PeerAddress.parse("[]:80"))
                .withMessageStartingWith("'' is not a host");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "/run/a\0b", "/run/a\u001bb"})
    void refusesWhatIsNoPathOfASocket(String path) {
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> PeerAddress.parse("unix:" + path))
                .withMessage("'" + ForeignText.harmless(path) + "' is not the path of a socket: write unix:/path");
    }

    @Test
    void refusesAPortOutOfRangeAndNamesIt() {
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> PeerAddress.parse("db1:65536"))
                .withMessage("port 65536 of db1 is out of range: 0 to 65535");
        assertThatExceptionOfType(Misconfigured.class).isThrownBy(() -> new PeerAddress("db1", -2));
    }

    @Test
    void knowsWhatStandsForAllAddressesOfAHost() {
        assertThat(List.of("0.0.0.0:1", "[::]:1", "[0:0:0:0:0:0:0:0]:1", "[::0]:0"))
                .allMatch(text -> PeerAddress.parse(text).isAnyHost());
        assertThat(List.of("127.0.0.1:1", "[::1]:1", "zero:1", "unix:/::"))
                .noneMatch(text -> PeerAddress.parse(text).isAnyHost());
    }
}
