package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import reactor.core.publisher.Flux;

/** Two nodes, a port, a stage. The first program of the README. */
@SuppressWarnings("NullAway") // block() gives null for an empty Mono only, and none of these is.
public final class Quickstart {

    private Quickstart() {}

    // tag::quickstart
    private static final Codec<String> TEXT = Codecs.text();

    public static void main(String[] arguments) {
        Node server = Node.start(NodeSpec.builder().name("server").build()).block();
        server.serve("upper", channel -> channel.send(channel.receive(TEXT).map(String::toUpperCase), TEXT));

        Node client = Node.start(NodeSpec.builder().name("client").build()).block();
        Peer peer = client.connect(server.address()).block();
        System.out.println(peer.path());

        Flux.just("one", "two", "three")
                .transform(peer.stage("upper", TEXT, TEXT))
                .doOnNext(System.out::println)
                .then()
                .block();

        client.close().block();
        server.close().block();
    }
    // end::quickstart
}
