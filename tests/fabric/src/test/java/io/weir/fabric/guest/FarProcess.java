package io.weir.fabric.guest;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.samples.process.Serving;
import java.io.IOException;
import reactor.core.publisher.Mono;

/**
 * A node in a process of its own, as its environment says, that serves {@link Bodies}. The argument, if there is one,
 * is the host where it listens.
 */
final class FarProcess {

    static final Codec<String> TEXT = Codecs.text();

    /** Tells how many are connected. */
    static final String PEERS = "peers";

    private FarProcess() {}

    public static void main(String[] arguments) throws IOException {
        NodeSpec spec = Serving.spec("far");
        if (arguments.length > 0) {
            spec = spec.toBuilder().listen("tcp://" + arguments[0] + ":0").build();
        }
        Serving.until(spec, FarProcess::serve);
    }

    private static void serve(Node node) {
        Bodies.serve(node);
        node.answer(
                PEERS,
                TEXT,
                TEXT,
                question -> Mono.fromSupplier(
                        () -> Integer.toString(node.connected().size())));
    }
}
