package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.PeerAddress;
import io.weir.fabric.guest.Fabric.End;
import io.weir.samples.process.Serving;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two processes with a hundred sessions between them, over one interface each. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class CrowdOnWire {

    private static final int NODES = 10;

    @TempDir
    Path folder;

    @Test
    void aHundredSessionsPassMessagesBothWaysAtOnce() throws IOException, InterruptedException {
        try (Program far =
                Program.serve(Jvm.command(Crowd.class, Integer.toString(NODES)), Fabric.P4SOCK.environment(End.FAR))) {
            List<PeerAddress> addresses = Stream.of(far.says(Serving.READY).split(" ", -1))
                    .map(PeerAddress::parse)
                    .toList();
            String devices = DeviceCheck.now();
            long sockets = far.sockets();

            try (Nodes nodes = new Nodes(Fabric.P4SOCK, folder)) {
                List<Mono<Peer>> connecting = new ArrayList<>();
                for (int i = 0; i < NODES; i++) {
                    Node near = nodes.start(End.NEAR, "p4sock");
                    addresses.forEach(address -> connecting.add(near.connect(address)));
                }
                List<Peer> peers = Nodes.got(
                        Flux.merge(Flux.fromIterable(connecting), NODES * NODES).collectList());
                assertThat(peers).hasSize(NODES * NODES).extracting(Nodes::path).containsOnly("p4sock");
                assertThat(far.sockets()).isGreaterThan(sockets);

                List<Peer> done = Nodes.got(Flux.fromIterable(peers)
                        .flatMap(
                                peer -> peer.channel(Crowd.BOTH)
                                        .flatMap(Crowd::pass)
                                        .thenReturn(peer),
                                NODES * NODES)
                        .collectList());

                assertThat(done).containsExactlyInAnyOrderElementsOf(peers);
            }
            Patience.until(
                    () -> "the sockets of both are given back",
                    () -> far.sockets() == sockets && DeviceCheck.now().equals(devices));
            var unused = far.leave();
        }
    }
}
