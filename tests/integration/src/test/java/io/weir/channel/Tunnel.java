package io.weir.channel;

import io.weir.config.NodeSpec;
import io.weir.config.Requirement;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Both ends of a tunnel through a gateway, of nodes that do nothing else. */
record Tunnel(Link first, Loop firstLoop, Link second, Loop secondLoop, List<Node> nodes) implements AutoCloseable {

    static final Duration LIMIT = Duration.ofSeconds(60);

    /** @param path of both legs */
    static Tunnel open(String path) throws InterruptedException {
        Node near = start("near", path);
        Node middle = start("middle", path);
        Node far = start("far", path);
        Gateway.serve(middle, GatewaySpec.allowing("127.0.0.1"));
        BlockingQueue<TunnelLink> accepted = accepting(far);
        Peer gateway = got(near.connect(middle.address()));
        Link first = got(new Tunnels(near.spec(), link -> {}).open(far.address(), List.of(), gateway));
        Link second = Objects.requireNonNull(accepted.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
        return new Tunnel(
                first,
                gateway.session().loop(),
                second,
                far.connected().get(0).session().loop(),
                List.of(near, middle, far));
    }

    /** A node that serves no tunnels by itself. */
    static Node start(String name, String path) {
        return got(Node.start(NodeSpec.builder()
                .name(name)
                .order(path)
                .require(Requirement.NONE)
                .gatewayAccept(false)
                .connectTimeout(LIMIT)
                .handshakeTimeout(LIMIT)
                .stepTimeout(LIMIT)
                .build()));
    }

    /** The ends of tunnels that lead to this node from now on. */
    static BlockingQueue<TunnelLink> accepting(Node node) {
        BlockingQueue<TunnelLink> accepted = new LinkedBlockingQueue<>();
        var unused = node.ports().serve(TunnelRequest.TUNNEL_PORT, new Tunnels(node.spec(), accepted::add));
        return accepted;
    }

    static <T> T got(Mono<T> outcome) {
        return Objects.requireNonNull(outcome.block(LIMIT));
    }

    @Override
    public void close() {
        Flux.fromIterable(nodes).flatMap(Node::close).then().block(LIMIT);
    }
}
