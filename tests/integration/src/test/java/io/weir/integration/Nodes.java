package io.weir.integration;

import io.weir.channel.Node;
import io.weir.channel.NodeSpec;
import io.weir.channel.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import reactor.core.publisher.Flux;

/** The nodes that one test starts; all are closed when it ends, and closing is part of the test. */
final class Nodes {

    private final Route route;
    private final List<Node> started = new ArrayList<>();

    Nodes(Route route) {
        this.route = route;
    }

    Route route() {
        return route;
    }

    Node start(NodeSpec spec) {
        Node node = Objects.requireNonNull(Node.start(spec).block(Patience.LIMIT));
        started.add(node);
        Pair.prepare(node);
        return node;
    }

    Node start(String name, UnaryOperator<NodeSpec.Builder> more) {
        return start(more.apply(route.spec(name)).build());
    }

    Node start(String name) {
        return start(name, spec -> spec);
    }

    /** Two connected nodes over the test's path. */
    Pair pair() {
        return pair(spec -> spec);
    }

    /** The same, both with these settings. */
    Pair pair(UnaryOperator<NodeSpec.Builder> both) {
        return pair(both, both);
    }

    Pair pair(UnaryOperator<NodeSpec.Builder> ofNear, UnaryOperator<NodeSpec.Builder> ofFar) {
        return connect(start("near", ofNear), start("far", ofFar));
    }

    Pair connect(Node near, Node far) {
        Peer peer = Objects.requireNonNull(near.connect(far.address()).block(Patience.LIMIT));
        return new Pair(near, far, peer);
    }

    /** The node serves another one, with these settings, as ever, and knows nobody else. */
    void goesOn(Node node, UnaryOperator<NodeSpec.Builder> ofOther) {
        connect(start("other", ofOther), node).settle();
        Patience.until(
                () -> "nobody else is there: " + node.connected(),
                () -> node.connected().size() == 1);
    }

    /** The same, without settings. */
    void goesOn(Node node) {
        goesOn(node, spec -> spec);
    }

    void close() {
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
            return context.getStore(NAMESPACE).getOrComputeIfAbsent("nodes", key -> new Nodes(route), Nodes.class);
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
