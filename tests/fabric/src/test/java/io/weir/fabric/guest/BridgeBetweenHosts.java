package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.fabric.guest.Streaming.At;
import io.weir.tck.ResourceCheck;
import io.weir.test.Networks;
import io.weir.test.Networks.Bridge;
import io.weir.test.Networks.Host;
import io.weir.test.Networks.Port;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three hosts on one bridge. */
@ExtendWith(ResourceCheck.class)
class BridgeBetweenHosts {

    /** Longer than the path waits for a peer that says nothing, and shorter than the session does. */
    private static final Duration AWAY = Duration.ofSeconds(4);

    @Test
    void aHostThatGoesAwayDisturbsNoOther() throws Exception {
        try (Networks networks = Networks.make()) {
            Bridge bridge = networks.bridge();
            Host a = networks.host("a");
            Host b = networks.host("b");
            Host c = networks.host("c");
            bridge.join(a).address("198.18.73.1/24");
            bridge.join(b).address("198.18.73.2/24");
            Port ofC = bridge.join(c);
            ofC.address("198.18.73.3/24");
            Hosts hosts = new Hosts();
            try (Program atB = hosts.far(b, "198.18.73.2", "tcp");
                    Program atC = hosts.far(c, "198.18.73.3", "tcp");
                    Program atA = hosts.near(a, List.of(atB, atC), "tcp")) {
                playWith(atA, ofC);
                var unused = atA.leave();
                var alsoUnused = List.of(atB.leave(), atC.leave());
            }
        }
    }

    private static void playWith(Program near, Port away) throws IOException, InterruptedException {
        At b = At.now(near, 0).further(near, 0);
        At c = At.now(near, 1).further(near, 1);
        assertThat(List.of(b.path(), c.path())).containsOnly("p4sock");

        away.down();
        LockSupport.parkNanos(AWAY.toNanos());
        c = At.now(near, 1);
        b = At.now(near, 0).further(near, 0);
        assertThat(At.now(near, 1).read()).as("read of who is away").isEqualTo(c.read());
        away.up();

        c = c.further(near, 1);
        assertThat(c.path()).isIn("p4sock", "tcp");
        b = b.further(near, 0);
        assertThat(b.path()).isEqualTo("p4sock");
        assertThat(b.paths()).as("paths of who was not away").isEqualTo(1);
        assertThat(near.lastSaid("LOST")).isEmpty();
    }
}
