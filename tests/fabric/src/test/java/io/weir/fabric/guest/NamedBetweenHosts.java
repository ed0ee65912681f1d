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

/** Two hosts with a wire for IP, and one that nobody has given addresses. */
@ExtendWith(ResourceCheck.class)
class NamedBetweenHosts {

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
            try (Program atB = hosts.far(b, "198.18.74.2", "tcp");
                    Program atA = hosts.near(a, List.of(atB), "tcp")) {
                At now = At.now(atA, 0).further(atA, 0);
                assertThat(now.path()).isEqualTo("p4sock");
                var unused = atA.leave();
                var alsoUnused = atB.leave();
            }
        }
    }
}
