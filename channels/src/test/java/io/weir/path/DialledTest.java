package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeDefaults;
import io.weir.core.Ends;
import io.weir.core.PeerAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the connecting side says that it has dialled, and what the accepting side makes of it. */
class DialledTest {

    private static final String BOOT = "3f1c";

    private static Ends at(String nearHost, int nearPort, String farHost, int farPort) throws UnknownHostException {
        return new Ends(
                new InetSocketAddress(InetAddress.getByName(nearHost), nearPort),
                new InetSocketAddress(InetAddress.getByName(farHost), farPort),
                -1);
    }

    private static List<PeerAddress> addresses(String text) {
        return text == null
                ? List.of()
                : Arrays.stream(text.split(" ")).map(PeerAddress::parse).toList();
    }

    @Test
    void whichHostIsMeantIsSaidWhereEveryHostHasSuchAnAddress() throws UnknownHostException {
        Ends loopback = at("127.0.0.1", 50000, "127.0.0.1", 7400);
        assertThat(Dialled.of(PeerAddress.parse("localhost:7400"), loopback, BOOT))
                .isEqualTo(new Dialled("tcp://localhost:7400", "tcp://127.0.0.1:7400", BOOT));
        assertThat(Dialled.of(PeerAddress.parse("unix:/run/node"), new Ends(null, null, 1000), BOOT))
                .isEqualTo(new Dialled("unix:/run/node", "", BOOT));
        Ends network = at("10.0.0.1", 50000, "10.0.0.7", 7400);
        assertThat(Dialled.of(PeerAddress.parse("till:7400"), network, BOOT))
                .isEqualTo(new Dialled("tcp://till:7400", "tcp://10.0.0.7:7400", ""));
        assertThat(Dialled.of(PeerAddress.parse("till:7400"), Ends.UNKNOWN, BOOT))
                .isEqualTo(new Dialled("tcp://till:7400", "", ""));
    }

    /** A connection that comes from the network, to a node that listens at every address of its host. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // What is called how one likes, and ends where it was meant to.
                "tcp://till:7400, tcp://10.0.0.7:7400, 10.0.0.7:7400, -, true",
                "tcp://[fd00::7]:7400, tcp://[fd00:0:0:0:0:0:0:7]:7400, [fd00::7]:7400, -, true",
                // It ends at somebody else, who passes it on.
                "tcp://other:7400, tcp://10.0.0.8:7400, 10.0.0.7:7400, -, false",
                "tcp://other:7401, tcp://10.0.0.7:7401, 10.0.0.7:7400, -, false",
                "tcp://other:7400, '', 10.0.0.7:7400, -, false",
                "'', '', 10.0.0.7:7400, -, false",
                "nonsense, nonsense, 10.0.0.7:7400, -, false",
                // An address translation is in between, of which the configuration knows.
                "tcp://gate:80, tcp://192.0.2.1:80, 10.0.0.7:7400, gate:80, true",
                "tcp://GATE:80, tcp://192.0.2.1:80, 10.0.0.7:7400, gate:80, true",
                "tcp://gate:81, tcp://192.0.2.1:81, 10.0.0.7:7400, gate:80, false",
                "tcp://gate:80, tcp://192.0.2.1:80, 10.0.0.7:7400, door:80 gate:80, true",
                // The loopback address of another host.
                "tcp://127.0.0.1:7400, tcp://127.0.0.1:7400, 127.0.0.1:7400, -, false",
                "tcp://127.0.0.1:7400, tcp://127.0.0.1:7400, 10.0.0.7:7400, -, false",
            })
    void overTheNetwork(String address, String reached, String near, String advertised, boolean leadsHere)
            throws UnknownHostException {
        PeerAddress here = PeerAddress.parse(near);
        Dialled dialled = new Dialled(address, reached, "");
        assertThat(dialled.leadsTo(
                        at(here.host(), here.port(), "10.0.0.1", 50000),
                        addresses("0.0.0.0:7400 127.0.0.1:7400"),
                        addresses(advertised),
                        BOOT))
                .isEqualTo(leadsHere);
    }

    @Test
    void onOneHost() throws UnknownHostException {
        Ends ends = at("127.0.0.1", 7400, "127.0.0.1", 50000);
        List<PeerAddress> listening = addresses("127.0.0.1:7400");
        assertThat(new Dialled("tcp://localhost:7400", "tcp://127.0.0.1:7400", BOOT)
                        .leadsTo(ends, listening, List.of(), BOOT))
                .isTrue();
        assertThat(new Dialled("tcp://127.0.0.1:7400", "tcp://127.0.0.1:7400", "another")
                        .leadsTo(ends, listening, List.of(), BOOT))
                .isFalse();
        assertThat(new Dialled("tcp://127.0.0.1:7401", "tcp://127.0.0.1:7401", BOOT)
                        .leadsTo(ends, listening, List.of(), BOOT))
                .isFalse();
    }

    @Test
    void overAUnixSocket() {
        Ends ends = new Ends(null, null, 1000);
        List<PeerAddress> listening = addresses("unix:/run/node");
        assertThat(new Dialled("unix:/run/node", "", BOOT).leadsTo(ends, listening, List.of(), BOOT))
                .isTrue();
        assertThat(new Dialled("unix:/run/other", "", BOOT).leadsTo(ends, listening, List.of(), BOOT))
                .isFalse();
        assertThat(new Dialled("unix:/run/node", "", "another").leadsTo(ends, listening, List.of(), BOOT))
                .isFalse();
        assertThat(new Dialled("unix:/mnt/node", "", BOOT).leadsTo(ends, listening, addresses("unix:/mnt/node"), BOOT))
                .isTrue();
    }

    /** Only what the last gateway was to connect to is known. */
    @Test
    void throughGateways() {
        String name = NodeDefaults.name();
        for (String meant : List.of("127.0.0.1:7400", "10.0.0.7:7400", "till:7400")) {
            Dialled dialled = new Dialled("tcp://" + meant, "", "");
            assertThat(dialled.leadsTo(Ends.UNKNOWN, addresses(meant), List.of(), BOOT))
                    .isTrue();
            assertThat(dialled.leadsTo(Ends.UNKNOWN, addresses("till:7401"), List.of(), BOOT))
                    .isFalse();
            assertThat(dialled.leadsTo(Ends.UNKNOWN, addresses("till:7401"), addresses(meant), BOOT))
                    .isTrue();
        }
        List<PeerAddress> anywhere = addresses("0.0.0.0:7400");
        for (String host : List.of("127.0.0.1", name)) {
            assertThat(new Dialled("tcp://" + host + ":7400", "", "").leadsTo(Ends.UNKNOWN, anywhere, List.of(), BOOT))
                    .isTrue();
            assertThat(new Dialled("tcp://" + host + ":7401", "", "").leadsTo(Ends.UNKNOWN, anywhere, List.of(), BOOT))
                    .isFalse();
        }
        assertThat(new Dialled("tcp://203.0.113.9:7400", "", "").leadsTo(Ends.UNKNOWN, anywhere, List.of(), BOOT))
                .isFalse();
    }
}
