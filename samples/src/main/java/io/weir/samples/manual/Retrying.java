package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.WeirException;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** What may be tried again, and what not. */
public final class Retrying {

    private static final Codec<String> TEXT = Codecs.text();
    private static final Codec<Long> NUMBER = Codecs.json(Long.class);

    private Retrying() {}

    public static Mono<Peer> connect(Node node, String address) {
        // tag::retry
        Mono<Peer> peer = node.connect(address)
                .retryWhen(Retry.backoff(10, Duration.ofMillis(100)).filter(WeirException::mayRepeat));
        // end::retry
        return peer;
    }

    public static Mono<Long> bookAndRead(Node node, String account, String entry) {
        // tag::repeat
        Mono<Long> balance = node.peer("ledger")
                .flatMap(ledger -> ledger.ask("balance", account, TEXT, NUMBER))
                .retryWhen(Retry.backoff(5, Duration.ofMillis(50)).filter(WeirException::mayRepeatIdempotent));
        Mono<Long> booked = node.peer("ledger")
                .flatMap(ledger -> ledger.ask("book", entry, TEXT, NUMBER))
                .retryWhen(Retry.backoff(5, Duration.ofMillis(50)).filter(WeirException::mayRepeat));
        // end::repeat
        return booked.then(balance);
    }
}
