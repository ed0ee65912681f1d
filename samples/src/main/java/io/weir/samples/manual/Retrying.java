package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.WeirException;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** What may be tried again, and what not. */
public final class Retrying {

    private Retrying() {}

    public static Mono<Peer> connect(Node node, String address) {
        // tag::retry
        Mono<Peer> peer = node.connect(address)
                .retryWhen(Retry.backoff(10, Duration.ofMillis(100))
                        .filter(error -> error instanceof WeirException.Retryable));
        // end::retry
        return peer;
    }
}
