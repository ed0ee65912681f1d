package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.fabric.guest.Fabric.End;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two ends that don't agree on how long a packet and a slot may be, nor on how many there are. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class UnlikeEndsInGuest {

    private static final int ETHERNET = 1500;
    private static final int JUMBO = 9000;

    @TempDir
    Path folder;

    /** Packets longer than the far end's would be dropped by its network interface, and nothing would come. */
    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#here")
    void messagesOfAllLengthsPass(Fabric fabric) throws IOException, InterruptedException {
        // uDAPL has no say in it: what manages its connections takes the longest packet of the side that connects.
        if (fabric == Fabric.VERBS) {
            packets(End.NEAR, JUMBO, 4096);
            packets(End.FAR, ETHERNET, 1024);
        }
        try (Nodes nodes = new Nodes(fabric, folder)) {
            Node far = nodes.start(fabric.spec(End.FAR)
                    .order(fabric.path)
                    .transportOption(fabric.path, "slots", "200")
                    .transportOption(fabric.path, "slot-size", "100k"));
            Node near = nodes.start(fabric.spec(End.NEAR)
                    .order(fabric.path)
                    .transportOption(fabric.path, "slots", "8")
                    .transportOption(fabric.path, "slot-size", "36k"));
            Peer there = Nodes.connect(near, far);
            Peer here = far.connected().get(0);
            for (Peer peer : new Peer[] {there, here}) {
                assertThat(Nodes.path(peer)).isEqualTo(fabric.path);
                Bodies.echo(peer, 6, Bodies.LONG);
                Bodies.echo(peer, 200, 0, 8, 900, 1500, 5000);
            }
        } finally {
            packets(End.NEAR, ETHERNET, 1024);
        }
    }

    /** Bytes of an Ethernet packet, and what the device makes of it. */
    private static void packets(End end, int bytes, int active) throws IOException, InterruptedException {
        Program.run("ip", "link", "set", end.device.replace("rxe", "port"), "mtu", Integer.toString(bytes));
        Patience.until(
                () -> end.device + " with " + active,
                () -> Program.run("ibv_devinfo", "-d", end.device).matches("(?s).*active_mtu:\\s+" + active + "\\b.*"));
    }
}
