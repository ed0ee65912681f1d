package io.weir.channel;

import io.weir.core.Link;
import io.weir.service.Gateway;
import io.weir.service.GatewaySpec;
import io.weir.tck.LinkContract;
import io.weir.tck.LinkPair;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What every link promises, kept by one that leads through a gateway. */
@Tag("one-jdk")
class TunnelLinkTest implements LinkContract {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static NodeSpec spec(String name) {
        return NodeSpec.builder()
                .name(name)
                .order("tcp")
                .require(Requirement.NONE)
                .gatewayAccept(false)
                .connectTimeout(LIMIT)
                .handshakeTimeout(LIMIT)
                .stepTimeout(LIMIT)
                .build();
    }

    private static <T> T got(Mono<T> outcome) {
        return Objects.requireNonNull(outcome.block(LIMIT));
    }

    @Override
    public LinkPair open() throws Exception {
        Node near = got(Node.start(spec("near")));
        Node middle = got(Node.start(spec("middle")));
        Node far = got(Node.start(spec("far")));
        Gateway.serve(middle, GatewaySpec.allowing("127.0.0.1"));
        BlockingQueue<TunnelLink> accepted = new LinkedBlockingQueue<>();
        var unused = far.ports().serve(TunnelRequest.TUNNEL_PORT, new Tunnels(far.spec(), accepted::add));
        Peer gateway = got(near.connect(middle.address()));
        Link first = got(new Tunnels(near.spec(), link -> {}).open(far.address(), List.of(), gateway));
        Link second = Objects.requireNonNull(accepted.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
        return new LinkPair(
                first,
                gateway.session().loop(),
                second,
                far.connected().get(0).session().loop(),
                () -> Flux.just(near, middle, far).flatMap(Node::close).then().block(LIMIT));
    }
}
