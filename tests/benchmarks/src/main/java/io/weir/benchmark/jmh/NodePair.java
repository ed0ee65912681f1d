package io.weir.benchmark.jmh;

import io.weir.channel.Node;
import io.weir.channel.NodeSpec;
import io.weir.channel.PathSwitch;
import io.weir.channel.Peer;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/** Two nodes in this JVM that are connected by one path; their loops are called after what they do. */
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
        Node server = start("server", path);
        ports.accept(server);
        return new NodePair(server, start("client", path));
    }

    private static Node start(String name, String path) {
        NodeSpec spec = NodeSpec.builder()
                .name(name)
                .order(path)
                .path(path, PathSwitch.REQUIRED)
                .build();
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
