package io.weir.integration;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathPolicy;
import io.weir.config.Requirement;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The nodes that one test starts; all are closed when it ends, and closing is part of the test. */
public final class Nodes {

    private final Route route;
    private final boolean throughGateway;
    private final List<Node> started = new ArrayList<>();
    private @Nullable Node gateway;

    public Nodes(Route route) {
        this(route, false);
    }

    public Nodes(Route route, boolean throughGateway) {
        this.route = route;
        this.throughGateway = throughGateway;
    }

    public Route route() {
        return route;
    }

    public Node start(NodeSpec spec) {
        Node node = Objects.requireNonNull(Node.start(spec).block(Patience.LIMIT));
        started.add(node);
        Pair.prepare(node);
        return node;
    }

    public Node start(String name, UnaryOperator<NodeSpec.Builder> more) {
        NodeSpec.Builder spec = route.spec(name);
        return start(more.apply(throughGateway ? spec.require(Requirement.NONE) : spec)
                .build());
    }

    public Node start(String name) {
        return start(name, spec -> spec);
    }

    /** Two connected nodes over the test's path. */
    public Pair pair() {
        return pair(spec -> spec);
    }

    /** The same, both with these settings. */
    public Pair pair(UnaryOperator<NodeSpec.Builder> both) {
        return pair(both, both);
    }

    public Pair pair(UnaryOperator<NodeSpec.Builder> ofNear, UnaryOperator<NodeSpec.Builder> ofFar) {
        return connect(start("near", ofNear), start("far", ofFar));
    }

    public Pair connect(Node near, Node far) {
        Mono<Peer> connecting = throughGateway
                ? near.connect(far.address(), List.of(gateway().address()), PathPolicy.unchanged())
                : near.connect(far.address());
        Peer peer = Objects.requireNonNull(connecting.block(Patience.LIMIT));
        return new Pair(near, far, peer);
    }

    private Node gateway() {
        Node present = gateway;
        if (present == null) {
            present = start("gateway");
            var unused = Gateway.serve(present, GatewaySpec.allowing("127.0.0.1"));
            gateway = present;
        }
        return present;
    }

    /** The node serves another one, with these settings, as ever, and knows nobody else. */
    public void goesOn(Node node, UnaryOperator<NodeSpec.Builder> ofOther) {
        connect(start("other", ofOther), node).settle();
        Patience.until(
                () -> "nobody else is there: " + node.connected(),
                () -> node.connected().size() == 1);
    }

    /** The same, without settings. */
    public void goesOn(Node node) {
        goesOn(node, spec -> spec);
    }

    public void close() {
        Flux.fromIterable(started).flatMap(Node::close).then().block(Patience.LIMIT);
    }

    /** Gives a {@link Nodes} to the test that asks for one, on the route of its {@link OnRoute}, or over tcp. */
    static final class Extension implements ParameterResolver, AfterEachCallback {

        private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(Nodes.class);

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Nodes.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            Object test = context.getRequiredTestInstance();
            Route route = test instanceof OnRoute it ? it.route() : Route.TCP;
            boolean throughGateway = test instanceof OnRoute on && on.throughGateway();
            return context.getStore(NAMESPACE)
                    .getOrComputeIfAbsent("nodes", key -> new Nodes(route, throughGateway), Nodes.class);
        }

        @Override
        public void afterEach(ExtensionContext context) {
            Nodes nodes = context.getStore(NAMESPACE).get("nodes", Nodes.class);
            if (nodes != null) {
                nodes.close();
            }
        }
    }
}
