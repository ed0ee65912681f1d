package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.fabric.guest.Fabric.End;
import io.weir.fabric.guest.Streaming.At;
import io.weir.tck.ResourceCheck;
import io.weir.test.Networks;
import io.weir.test.Networks.Host;
import io.weir.test.Networks.Wire;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Interfaces of which some have no address. */
@ExtendWith(ResourceCheck.class)
class AddressesBetweenHosts {

    /** The port has the bridge's MAC and comes before it, and nobody but the bridge gets its frames. */
    @Test
    void theBridgeIsTakenAndNotItsPort() throws Exception {
        try (Networks networks = Networks.make()) {
            Host a = networks.host("a");
            Host b = networks.host("b");
            Wire wire = networks.wire(a, b);
            wire.second().address("198.18.75.2/30");
            a.ip("link", "add", "bridge", "type", "bridge", "mcast_snooping", "0");
            a.ip("link", "set", "dev", wire.first().name(), "master", "bridge");
            a.ip("address", "add", "198.18.75.1/30", "dev", "bridge");
            a.ip("link", "set", "dev", "bridge", "up");
            String[] state =
                    a.command(List.of("cat", "/sys/class/net/bridge/operstate")).toArray(String[]::new);
            Patience.until(() -> "the bridge is up", () -> Program.run(state).contains("up"));
            goesByFrames(new Hosts(), a, b, "198.18.75.2");
        }
    }

    private static void goesByFrames(Hosts hosts, Host a, Host b, String addressOfB) throws Exception {
        try (Program atB = hosts.far(b, addressOfB, "tcp");
                Program atA = hosts.near(a, List.of(atB), "tcp")) {
            At now = At.now(atA, 0).further(atA, 0);
            assertThat(now.path()).isEqualTo("p4sock");
            var unused = atA.leave();
            var alsoUnused = atB.leave();
        }
    }

    @Test
    void anInterfaceThatIsNamedNeedsNoAddress() throws Exception {
        try (Networks networks = Networks.make()) {
            Host a = networks.host("a");
            Host b = networks.host("b");
            Wire ip = networks.wire(a, b);
            ip.first().address("198.18.74.1/30");
            ip.second().address("198.18.74.2/30");
            Wire frames = networks.wire(a, b);
            Hosts hosts = new Hosts();
            hosts.frames(End.NEAR, frames.first());
            hosts.frames(End.FAR, frames.second());
            goesByFrames(hosts, a, b, "198.18.74.2");
        }
    }
}
