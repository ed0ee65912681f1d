package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.PeerSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.test.FaultyRoute;
import io.weir.test.TestNodes;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** What a test does with {@link TestNodes}; each method fails with an error or yields what was answered. */
@SuppressWarnings("CheckReturnValue") // Nodes are started for their names.
public final class Rehearsals {

    private static final Codec<String> TEXT = Codecs.text();
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    public @Nullable String talk() {
        // tag::testNodes
        try (TestNodes nodes = TestNodes.over("local")) {
            Node prices = nodes.start("prices");
            prices.answer("price", TEXT, TEXT, item -> Mono.just("5 for " + item));
            nodes.start("orders");
            Peer peer = nodes.connect("orders", "prices");
            return peer.ask("price", "a pound", TEXT, TEXT).block();
        }
        // end::testNodes
    }

    public @Nullable String cut() {
        try (TestNodes nodes = TestNodes.over("tcp")) {
            serve(nodes);
            nodes.start("orders");
            // tag::cutRoute
            Peer peer = nodes.connect("orders", "prices");
            FaultyRoute route = nodes.route("orders", "prices");
            route.delay(Duration.ofMillis(20)); // a distant data centre
            route.cut(); // nothing goes through, and nobody is told
            Mono<String> held = peer.ask("price", "a pound", TEXT, TEXT).cache();
            held.subscribe();
            route.mend(); // what was sent meanwhile arrives
            // end::cutRoute
            return held.block(PATIENCE);
        }
    }

    public @Nullable String kill() {
        try (TestNodes nodes = TestNodes.over("tcp")) {
            // tag::killNode
            String address = nodes.route("orders", "prices").address().toString();
            Node orders = nodes.start(
                    "orders",
                    settings -> settings.peer("prices", PeerSpec.of(address).withPatience(Duration.ofSeconds(30))));
            serve(nodes);
            orders.peer("prices").block();
            nodes.kill("prices"); // no goodbye, as after kill -9
            serve(nodes); // started again
            // end::killNode
            return answer(orders);
        }
    }

    /** As soon as the one that was killed is noticed and its successor found. */
    private static @Nullable String answer(Node orders) {
        return Mono.defer(() -> orders.peer("prices"))
                .flatMap(peer -> peer.ask("price", "a pound", TEXT, TEXT))
                .retry(100)
                .block(PATIENCE);
    }

    private static void serve(TestNodes nodes) {
        Node prices = nodes.start("prices");
        prices.answer("price", TEXT, TEXT, item -> Mono.just("5 for " + item.toLowerCase(Locale.ROOT)));
    }
}
