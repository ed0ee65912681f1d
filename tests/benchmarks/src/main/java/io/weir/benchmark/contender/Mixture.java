package io.weir.benchmark.contender;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import java.time.Duration;
import java.util.Objects;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What else a program does with its peer: four kinds of pipelines, each on a channel of its own. The compiler sees all
 * of them before the measured one, so that it can't take that for the only one that there is.
 */
final class Mixture {

    private static final String REQUESTS = "mixture-requests";
    private static final String VALUES = "mixture-values";
    private static final String STREAM = "mixture-stream";
    private static final String STAGE = "mixture-stage";

    /** Enough for the compiler's second look. */
    private static final int COUNT = 100_000;

    private static final int OUTSTANDING = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Codec<String> TEXT = Codecs.text();
    private static final Codec<byte[]> BYTES = Codecs.bytes();

    private Mixture() {}

    static void serve(Node node) {
        var requests = node.answer(REQUESTS, Mixture::same);
        var values = node.answer(VALUES, TEXT, TEXT, Mono::just);
        var stream =
                node.stream(STREAM, TEXT, TEXT, text -> Flux.range(0, COUNT).map(i -> text));
        var stage = node.serve(STAGE, Mixture::echo);
    }

    private static Publisher<Message> same(Message request) {
        return Mono.just(request);
    }

    private static Mono<Void> echo(Channel channel) {
        return channel.send(channel.receive(BYTES), BYTES);
    }

    /** Uses all of them, and waits until they are through. */
    static void play(Peer peer) {
        Flux<Integer> numbers = Flux.range(0, COUNT);
        byte[] some = new byte[OUTSTANDING];
        await(numbers.flatMap(i -> peer.ask(REQUESTS, Message.of("a request")), OUTSTANDING)
                .doOnNext(Message::release));
        await(numbers.flatMap(i -> peer.ask(VALUES, "a value", TEXT, TEXT), OUTSTANDING));
        await(peer.stream(STREAM, "an item", TEXT, TEXT));
        await(numbers.map(i -> some).transform(peer.stage(STAGE, BYTES, BYTES)));
    }

    private static void await(Flux<?> all) {
        long came = Objects.requireNonNull(all.count().block(PATIENCE));
        if (came != COUNT) {
            throw new IllegalStateException("Of " + COUNT + " messages " + came + " came back.");
        }
    }
}
