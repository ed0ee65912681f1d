package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.fabric.guest.Streaming.At;
import io.weir.tck.ResourceCheck;
import io.weir.test.CProgram;
import io.weir.test.Networks;
import io.weir.test.Networks.Host;
import io.weir.test.Networks.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Another program on the wire, which uses TCP, and somebody who fills the wire with frames of our types. */
@ExtendWith(ResourceCheck.class)
class BystanderBetweenHosts {

    private static final String NEAR = "198.18.74.1";
    private static final String FAR = "198.18.74.2";

    @TempDir
    Path folder;

    @Test
    void whoUsesTcpIsUndisturbedAndSoAreWe() throws Exception {
        Path flood = CProgram.compiled(BystanderBetweenHosts.class, "flood.c", folder);
        try (Networks networks = Networks.make()) {
            Wire wire = networks.wire(networks.host("a"), networks.host("b"));
            wire.first().address(NEAR + "/24");
            wire.second().address(FAR + "/24");
            Host a = wire.first().host();
            Host b = wire.second().host();
            Hosts hosts = new Hosts();
            try (Program far = hosts.far(b, FAR);
                    Program near = hosts.near(a, List.of(far))) {
                At first = At.now(near, 0).further(near, 0);
                bystand(a, b);
                assertGoesOn(first, At.now(near, 0));
                try (Program flooding = Program.serve(
                        b.command(List.of(
                                flood.toString(),
                                wire.second().name(),
                                wire.first().mac(),
                                "20")),
                        Map.of())) {
                    var unused = flooding.says("FLOODS");
                    At flooded = At.now(near, 0);
                    bystand(a, b);
                    assertGoesOn(flooded, At.now(near, 0));
                    assertThat(flooding.leave()).containsPattern("SENT \\d{5,}");
                }
                At last = At.now(near, 0).further(near, 0);
                assertThat(last).extracting(At::path, At::paths).containsExactly("p4sock", 1);
                assertThat(last.rejected()).isPositive();
                var words = List.of(near.leave(), far.leave());
                assertThat(words).hasSize(2);
            }
        }
    }

    private static void assertGoesOn(At before, At now) {
        assertThat(now.read()).isGreaterThan(before.read());
        assertThat(now.made()).isGreaterThan(before.made());
    }

    private static void bystand(Host a, Host b) throws IOException, InterruptedException {
        try (Program server = Program.start(b.command(Jvm.command(Bystander.class, FAR)), Map.of());
                Program client =
                        Program.start(a.command(Jvm.command(Bystander.class, FAR, server.says("READY"))), Map.of())) {
            assertThat(client.succeed()).contains("SAME");
            assertThat(server.succeed()).contains("SAME");
        }
    }
}
