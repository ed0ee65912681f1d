package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Peer;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Round trips of small messages, beside those of perftest. A number to look at: here it measures the emulator as well.
 */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class PingPongInGuest {

    private static final int BYTES = 64;
    private static final int ROUNDS = 300;
    private static final int PORT = 18520;

    /**
     * Size, rounds, the shortest and the longest time, the typical one; then the average in microseconds, of one way.
     */
    private static final Pattern AVERAGE =
            Pattern.compile("(?m)^\\s*" + BYTES + "\\s+" + ROUNDS + "\\s+\\S+\\s+\\S+\\s+\\S+\\s+([0-9.]+)");

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#here")
    void roundTrips(Fabric fabric) throws IOException, InterruptedException {
        long ours = ours(fabric);
        long perftest = perftest();
        assertThat(perftest).isPositive();
        System.out.printf(
                "round trips of %d bytes in a second: %d of ask over %s, %d of ib_send_lat%n",
                BYTES, ours, fabric.path, perftest);
    }

    private long ours(Fabric fabric) {
        try (Nodes nodes = new Nodes(fabric, folder)) {
            Peer peer = nodes.connect();
            pingPong(peer);
            long begin = System.nanoTime();
            pingPong(peer);
            return ROUNDS * 1_000_000_000L / (System.nanoTime() - begin);
        }
    }

    private static void pingPong(Peer peer) {
        for (int round = 0; round < ROUNDS; round++) {
            Bodies.echo(peer, 1, BYTES);
        }
    }

    private static long perftest() throws IOException, InterruptedException {
        try (Program far = Program.start(sendLatency("rxe1")).listensAt(PORT)) {
            Matcher average = AVERAGE.matcher(Program.run(sendLatency("rxe0", "localhost")));
            assertThat(average.find()).isTrue();
            String unused = far.succeed();
            return (long) (1e6 / (2 * Double.parseDouble(average.group(1))));
        }
    }

    private static String[] sendLatency(String device, String... address) {
        return ("ib_send_lat -F -x 1 -s " + BYTES + " -n " + ROUNDS + " -p " + PORT + " -d " + device + " "
                        + String.join(" ", address))
                .strip()
                .split(" ", -1);
    }
}
