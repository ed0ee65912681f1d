package io.weir.benchmark.contender;

import java.io.Serializable;
import reactor.core.publisher.Mono;

/** The interface whose calls are measured: small records there and back, as most calls of services have them. */
public interface Quotes {

    /** What is asked for. The number comes back with the answer. */
    record Order(long number, String item, int quantity) implements Serializable {

        static Order of(long number) {
            return new Order(number, "bolt M8 x 40", 250);
        }

        Quote quote() {
            return new Quote(number, quantity * 7L, "EUR");
        }
    }

    /** What is answered. */
    record Quote(long number, long cents, String currency) implements Serializable {}

    /** What this costs. */
    Mono<Quote> quote(Order order);

    /** The same bytes. */
    Mono<byte[]> echo(byte[] bytes);
}
