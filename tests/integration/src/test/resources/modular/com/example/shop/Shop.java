package com.example.shop;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.service.Services;
import java.nio.file.Path;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two nodes that use channels and a remote interface over the path that is named. */
public final class Shop {

    public record Price(String article, long cents) {}

    public interface Prices {
        Mono<Price> of(String article);

        default Mono<Long> cents(String article) {
            return of(article).map(Price::cents);
        }
    }

    private Shop() {}

    private static NodeSpec.Builder spec(String name, String path, String folder) {
        return NodeSpec.builder().name(name).order(path).runtimeFolder(Path.of(folder));
    }

    public static void main(String[] arguments) {
        String path = arguments[0];
        Codec<Price> codec = Codecs.record(Price.class);
        Node far = Node.start(spec("far", path, arguments[1])
                        .listen("tcp://127.0.0.1:0")
                        .build())
                .block();
        far.serve("prices", channel -> channel.send(Flux.just(new Price("tea", 5)), codec));
        Services.open(far)
                .block()
                .export(Prices.class, article -> Mono.just(new Price(article, 7)))
                .block();

        Node near = Node.start(spec("near", path, arguments[1]).build()).block();
        Peer peer = near.connect(far.address()).block();
        System.out.println(peer.path().chosen().orElseThrow().path());
        System.out.println(peer.channel("prices")
                .flatMapMany(channel -> channel.receive(codec))
                .blockLast());
        Prices prices = Services.open(near).block().client(Prices.class);
        System.out.println(prices.of("salt").block());
        System.out.println(prices.cents("salt").block());
        System.out.println(Node.class.getModule().isNamed());
        near.close().block();
        far.close().block();
    }
}
