package io.weir.integration.path;

import io.weir.channel.Node;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;

/** A node that lets in more than it has descriptors for, in a process of its own. */
final class Scarce {

    private Scarce() {}

    public static void main(String[] arguments) throws IOException {
        Node node = Objects.requireNonNull(Node.start(Route.any("scarce")
                        .order("tcp")
                        .maxHandshakes(10_000)
                        .maxHandshakeRate(10_000)
                        .handshakeTimeout(Duration.ofSeconds(4))
                        .build())
                .block(Patience.LIMIT));
        Pair.prepare(node);
        System.out.println("READY " + node.address());
        while (System.in.read() >= 0) {
            // Until whoever has started us is gone.
        }
        node.close().block(Patience.LIMIT);
    }
}
