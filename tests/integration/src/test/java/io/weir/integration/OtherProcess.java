package io.weir.integration;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.Message;
import io.weir.core.SessionLost;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A node in a process of its own, which serves what tests of two processes need. Started by {@link Child} with the
 * route's name, or with {@link #CONFIGURED}.
 */
public final class OtherProcess {

    /** Instead of a route: the node is as its environment says. */
    public static final String CONFIGURED = "CONFIGURED";

    /** Stands in what it prints before the reason for which the session of an echo is lost. */
    public static final String FAILED = "FAILED ";

    /** Sends back what it gets. */
    public static final String ECHO = "echo";

    /** Pours out the parcels that the request names. */
    public static final String POUR = "pour";

    /** Checks parcels, whose seed and sizes come first, and answers with their number when the end has come. */
    public static final String SINK = "sink";

    /** As {@link #SINK}, but fails after 20. */
    public static final String FAILING = "failing";

    /** Takes a channel and does nothing with it. */
    public static final String STALLED = "stalled";

    /** Answers with the request. */
    public static final String ASK = "ask";

    /** Never answers. */
    public static final String NEVER = "never";

    /** Answers with what the process holds of the system, and with the payloads that are out. */
    public static final String STATE = "state";

    public static final String REPORT = "report";

    private OtherProcess() {}

    /** The parcels that a text names: seed, sizes, count. */
    public record Order(Parcels parcels, long count) {

        static Order of(Message message) {
            String[] words = message.text().split(" ", 3);
            message.release();
            return new Order(new Parcels(Long.parseLong(words[0]), Sizes.valueOf(words[1])), Long.parseLong(words[2]));
        }

        public Message message() {
            return Message.of(parcels.seed() + " " + parcels.sizes() + " " + count);
        }

        public Flux<Message> flux() {
            return parcels.flux(count);
        }
    }

    public static void main(String[] arguments) throws IOException {
        NodeSpec.Builder spec = switch (arguments[0]) {
            case "ANY" -> Route.any("other");
            case CONFIGURED -> NodeSpec.fromSystem().toBuilder().name("other");
            default -> Route.valueOf(arguments[0]).spec("other");
        };
        Node node = Objects.requireNonNull(Node.start(spec.build()).block(Patience.LIMIT));
        serve(node);
        System.out.println("READY " + node.address());
        while (System.in.read() >= 0) {
            // Until whoever has started us is gone.
        }
        node.close().block(Patience.LIMIT);
        System.exit(0);
    }

    private static void serve(Node node) {
        var echo = node.serve(
                ECHO,
                channel -> channel.send(channel.receive())
                        .doOnError(SessionLost.class, error -> System.out.println(FAILED + error)));
        var pour = node.stream(POUR, request -> Order.of(request).flux());
        var sink = node.serve(SINK, channel -> check(channel, Long.MAX_VALUE));
        var failing = node.serve(FAILING, channel -> check(channel, 20));
        var stalled = node.serve(STALLED, channel -> Mono.never());
        var ask = node.answer(ASK, Mono::just);
        var never = node.answer(NEVER, message -> {
            message.release();
            return Mono.never();
        });
        var report = node.answer(REPORT, message -> {
            message.release();
            return report("there", node).map(Message::of);
        });
        var state = node.answer(STATE, message -> {
            message.release();
            return Mono.just(Message.of(HeldResources.now() + " payloads=" + Payloads.out()));
        });
    }

    /** What this node has open with its peers, and what it holds. */
    public static Mono<String> report(String where, Node node) {
        return Flux.fromIterable(node.connected())
                .flatMap(peer -> peer.channels().map(channels -> peer.stats() + "\n" + channels))
                .collectList()
                .map(peers -> where + ": " + node.memory() + "\n" + String.join("\n", peers));
    }

    private static Mono<Void> check(Channel channel, long failAt) {
        AtomicLong count = new AtomicLong();
        return channel.send(channel.receive()
                .switchOnFirst((signal, all) -> {
                    Message first = signal.get();
                    if (first == null) {
                        return all;
                    }
                    Parcels parcels = Order.of(first).parcels();
                    return all.skip(1).doOnNext(message -> {
                        parcels.check(count.getAndIncrement(), message);
                        if (count.get() == failAt) {
                            throw new IllegalStateException("failed on purpose");
                        }
                    });
                })
                .thenMany(Mono.fromSupplier(() -> Message.of(count.toString()))));
    }
}
