package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import java.time.Duration;
import reactor.core.publisher.Flux;

/** Two nodes of this JVM, connected over one path. */
record Nodes(Node server, Node client, Peer peer) implements AutoCloseable {

    static final Duration LIMIT = Duration.ofSeconds(30);

    static Nodes over(String path) {
        Node server = Node.start(NodeSpec.builder().name("server").build()).block(LIMIT);
        Node client = Node.start(NodeSpec.builder().name("client").order(path).build())
                .block(LIMIT);
        return new Nodes(server, client, client.connect(server.address()).block(LIMIT));
    }

    @Override
    public void close() {
        Flux.just(client, server).concatMap(Node::close).then().block(LIMIT);
    }
}
