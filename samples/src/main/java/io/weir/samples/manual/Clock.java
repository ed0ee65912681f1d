package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import java.time.Duration;
import java.time.Instant;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two processes: one tells the time, the other one reads it. */
public final class Clock {

    private static final Codec<String> TEXT = Codecs.text();

    private Clock() {}

    public static Mono<Node> server(String address) {
        // tag::server
        Mono<Node> server = Node.start(
                        NodeSpec.builder().name("clock").listen(address).build())
                .doOnNext(node -> node.serve("time", channel -> {
                    Flux<String> time = Flux.interval(Duration.ofSeconds(1))
                            .onBackpressureDrop()
                            .map(tick -> Instant.now().toString());
                    return channel.send(time, TEXT);
                }));
        // end::server
        return server;
    }

    public static Flux<String> client(String address) {
        // tag::client
        Flux<String> time = Flux.usingWhen(
                Node.start(NodeSpec.builder().name("reader").build()),
                node -> node.connect(address)
                        .doOnNext(peer -> System.out.println(peer.path()))
                        .flatMap(peer -> peer.channel("time"))
                        .flatMapMany(channel -> channel.receive(TEXT)),
                Node::close);
        // end::client
        return time;
    }

    /** Serves at the address if there is no other argument, else reads there. */
    public static void main(String[] arguments) {
        if (arguments.length == 1) {
            // tag::stay
            Node node = server(arguments[0]).blockOptional().orElseThrow();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> node.close().block()));
            node.closed().block();
            // end::stay
        } else {
            client(arguments[0]).doOnNext(System.out::println).then().block();
        }
    }
}
