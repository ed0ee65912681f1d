package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The devices work for those who know them well: what fails beside these is our own fault. */
class ToolsInGuest {

    /** Where the IPv4 address stands in a port's table. */
    private static final String GID = "1";

    private static final int PINGPONG_PORT = 18515;
    private static final int RPING_PORT = 7174;
    private static final int DTEST_PORT = 15828;

    @ParameterizedTest
    @ValueSource(strings = {"rxe0", "rxe1"})
    void aDeviceHasAnActivePort(String device) throws IOException, InterruptedException {
        assertThat(Program.run("ibv_devinfo", "-d", device)).contains(device).contains("PORT_ACTIVE");
    }

    /** Of libibverbs alone: within a device, and from one to the other, with messages of several packets. */
    @ParameterizedTest
    @CsvSource({"rxe0, rxe0", "rxe0, rxe1", "rxe1, rxe0"})
    void messagesGoToAndFro(String from, String to) throws IOException, InterruptedException {
        try (Program far = Program.start(pingpong(to)).listensAt(PINGPONG_PORT)) {
            assertThat(Program.run(pingpong(from, "localhost"))).contains("100 iters");
            assertThat(far.succeed()).contains("100 iters");
        }
    }

    /** Of librdmacm, which finds the device by the address. */
    @ParameterizedTest
    @ValueSource(strings = {"10.99.0.1", "10.99.0.2"})
    void aConnectionIsMadeByAddress(String address) throws IOException, InterruptedException {
        try (Program far =
                Program.start("rping", "-s", "-a", address, "-C", "10", "-V").listensByRdmaAt(RPING_PORT)) {
            assertThat(Program.run("rping", "-c", "-a", address, "-C", "10", "-V", "-v"))
                    .contains("rdma-ping-9");
            assertThat(far.succeed()).contains("DISCONNECT");
        }
    }

    /** Of uDAPL, by each name of its registry. The buffers of its own choice are too long for an emulated processor. */
    @ParameterizedTest
    @CsvSource({"ofa-v2-cma-rxe, 10.99.0.1", "ofa-v2-cma-ip, 10.99.0.1", "ofa-v2-scm-rxe, localhost"})
    void dtestPasses(String provider, String address) throws IOException, InterruptedException {
        try (Program far = Program.start("dtest", "-P", provider, "-b", "4096").listensAt(DTEST_PORT)) {
            // It exits with 0 in any case.
            assertThat(Program.run("dtest", "-P", provider, "-b", "4096", "-h", address))
                    .contains("PASSED");
            assertThat(far.succeed()).contains("PASSED");
        }
    }

    private static String[] pingpong(String device, String... address) {
        return Stream.concat(
                        Stream.of("ibv_rc_pingpong", "-d", device, "-g", GID, "-n", "100", "-c"), Stream.of(address))
                .toArray(String[]::new);
    }
}
