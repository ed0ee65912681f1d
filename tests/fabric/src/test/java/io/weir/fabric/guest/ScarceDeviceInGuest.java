package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.fabric.guest.Fabric.End;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A device that has nothing left for us: each thing that a connection needs is refused in turn. The kernel's control
 * groups limit what a process may have of a device, as a full one does.
 */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class ScarceDeviceInGuest {

    /** More than a connection needs. */
    private static final int MOST = 12;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(End.class)
    void whatIsRefusedIsTheReasonAndNothingIsLeft(End scarce) throws IOException, InterruptedException {
        Fabric fabric = Fabric.VERBS;
        Set<String> reasons = new LinkedHashSet<>();
        try (DeviceGroup group = DeviceGroup.join()) {
            String path = "tcp";
            int left = 0;
            for (; left < MOST && path.equals("tcp"); left++) {
                try (Nodes nodes = new Nodes(fabric, folder)) {
                    Node far = nodes.start(End.FAR, fabric.path, "tcp");
                    Node near = nodes.start(End.NEAR, fabric.path, "tcp");
                    group.leave(scarce.device, left);
                    Peer peer = Nodes.connect(near, far);
                    path = Nodes.path(peer);
                    reasons.add(Nodes.reason(peer, fabric.path));
                    Bodies.echo(peer, 2, 1000, Bodies.LONG);
                } finally {
                    group.unlimited(scarce.device);
                }
            }
            assertThat(path).isEqualTo(fabric.path);
            // Of the last connection all was there but the memory for long messages, which were copied.
            assertThat(String.join("\n", reasons))
                    .contains("protection domain", "completions", "no connection for us", "can't be registered")
                    .contains("rdma resource");
        }
    }
}
