package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.PathSwitch;
import io.weir.config.Requirement;
import io.weir.fabric.guest.Fabric.End;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import io.weir.tck.ResourceCheck;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A client that has a device reaches a server that has none. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class GatewayScene {

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#here")
    void joinsThePathWithTcp(Fabric fabric) {
        try (Nodes nodes = new Nodes(fabric, folder)) {
            Node server = nodes.start(fabric.spec(End.FAR)
                    .name("server")
                    .order("tcp")
                    .path(fabric.path, PathSwitch.OFF)
                    .require(Requirement.NONE));
            Node middle = nodes.start(fabric.spec(End.FAR)
                    .name("middle")
                    .order(fabric.path, "tcp")
                    .require(Requirement.NONE));
            Node client = nodes.start(
                    fabric.spec(End.NEAR).name("client").order(fabric.path).require(Requirement.NONE));
            Gateway gateway = Gateway.serve(middle, GatewaySpec.allowing("127.0.0.1"));
            Peer toGateway = Nodes.connect(client, middle);
            assertThat(Nodes.path(toGateway)).isEqualTo(fabric.path);
            Peer peer = Nodes.got(client.connect(server.address(), toGateway));
            assertThat(Nodes.path(peer)).isEqualTo("gateway");
            Bodies.echo(peer, 30, 0, 1000, 5000, 100_000, Bodies.LONG);
            assertThat(gateway.joined())
                    .singleElement()
                    .satisfies(pair -> assertThat(pair.toClient()).isGreaterThan(5L * Bodies.LONG));
        }
    }
}
