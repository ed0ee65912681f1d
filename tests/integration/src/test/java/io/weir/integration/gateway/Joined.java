package io.weir.integration.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.config.Requirement;
import io.weir.integration.Nodes;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.peer.PathDecision;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * A client and a server of this JVM that a third node joins.
 *
 * @param toGateway the gateway as the client sees it
 * @param peer the server as the client sees it
 */
record Joined(Node client, Node middle, Gateway gateway, Node server, Peer toGateway, Peer peer) {

    /**
     * What lies between: the paths that client and gateway may use. The server has tcp alone, and with the client
     * nothing.
     */
    static Joined over(String path, Nodes nodes) {
        return of(nodes, path, spec -> spec);
    }

    static Joined of(Nodes nodes, String path, UnaryOperator<NodeSpec.Builder> all) {
        Node server = nodes.start(all.apply(remote("server")).build());
        Node middle = nodes.start(
                all.apply(open("middle").order("local", "shm", "tcp")).build());
        Node client = nodes.start(all.apply(open("client").order(path)).build());
        Gateway gateway = Gateway.serve(middle, GatewaySpec.allowing("127.0.0.1"));
        Peer toGateway = Objects.requireNonNull(client.connect(middle.address()).block(Patience.LIMIT));
        Peer peer = connect(client, server, toGateway);
        return new Joined(client, middle, gateway, server, toGateway, peer);
    }

    static Peer connect(Node client, Node server, Peer gateway) {
        return Objects.requireNonNull(client.connect(server.address(), gateway).block(Patience.LIMIT));
    }

    /**
     * A node that others may reach through gateways without having proved anything, and by no other path than those of
     * its order.
     */
    static NodeSpec.Builder open(String name) {
        return Route.any(name).require(Requirement.NONE);
    }

    /** One that offers nothing but tcp. */
    static NodeSpec.Builder remote(String name) {
        return open(name).order("tcp").path("shm", PathSwitch.OFF).path("local", PathSwitch.OFF);
    }

    static void assertThrough(Peer peer, String way) {
        PathDecision.Attempt chosen = peer.path().chosen().orElseThrow();
        assertThat(chosen.path()).isEqualTo("gateway");
        assertThat(chosen.reason()).isEqualTo(way);
        assertThat(peer.path().line()).contains(" over gateway " + way);
    }
}
