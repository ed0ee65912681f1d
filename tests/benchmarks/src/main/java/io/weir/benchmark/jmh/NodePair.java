package io.weir.benchmark.jmh;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Two nodes in this JVM that are connected, by one path if it is named; their loops are called after what they do. */
final class NodePair implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Node server;
    private final Node client;

    private NodePair(Node server, Node client) {
        this.server = server;
        this.client = client;
    }

    /** @param ports lets the server serve what is needed */
    static NodePair start(String path, Consumer<Node> ports) {
        return start(spec -> spec.order(path).path(path, PathSwitch.REQUIRED), ports);
    }

    /** @param both changes the settings of both */
    static NodePair start(UnaryOperator<NodeSpec.Builder> both, Consumer<Node> ports) {
        Node server = node("server", both);
        ports.accept(server);
        return new NodePair(server, node("client", both));
    }

    private static Node node(String name, UnaryOperator<NodeSpec.Builder> settings) {
        NodeSpec spec = settings.apply(NodeSpec.builder().name(name)).build();
        return Objects.requireNonNull(Node.start(spec).block(PATIENCE));
    }

    /** The server, as the client sees it. */
    Peer connect() {
        return Objects.requireNonNull(client.connect(server.address()).block(PATIENCE));
    }

    @Override
    public void close() {
        client.close().then(server.close()).block(PATIENCE);
    }
}
