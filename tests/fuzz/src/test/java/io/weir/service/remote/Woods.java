package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An interface with places of each kind, and types that lead back to themselves. */
final class Woods {

    private Woods() {}

    enum Colour {
        RED,
        BLUE
    }

    record Leaf(String name, Colour colour) {}

    record Tree(String name, List<Tree> children, Map<String, Leaf[]> leaves) {}

    interface Plants<P> {

        Mono<P> any();

        List<P[]> rows();
    }

    /** An exception that can be made of a message. */
    static final class Rotten extends Exception {

        private static final long serialVersionUID = 1L;

        Rotten(String message) {
            super(message);
        }
    }

    interface Forest extends Plants<Tree> {

        Mono<Tree> tree(int number, String name, Tree below) throws Rotten, TimeoutException;

        Flux<Tree> plant(Publisher<Leaf> leaves, Map<String, Colour> colours, boolean now);

        Mono<byte[]> picture(byte[] like, ByteBuf mask, long[] numbers);

        Mono<Void> fell(double height);
    }
}
