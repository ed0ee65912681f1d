package io.weir.benchmark.contender;

import io.weir.benchmark.contender.Quotes.Order;
import io.weir.benchmark.contender.Quotes.Quote;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.directory.Registration;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.ProxyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** The interface called over Weir, by its proxies. */
final class WeirCalls {

    private static final String SERVICE = "quotes";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private WeirCalls() {}

    record Answering(Pinning pinning) implements Quotes {

        @Override
        public Mono<Quote> quote(Order order) {
            pinning.pinHere();
            return Mono.just(order.quote());
        }

        @Override
        public Mono<byte[]> echo(byte[] bytes) {
            pinning.pinHere();
            return Mono.just(bytes);
        }
    }

    private static Services services(Node node) {
        return Objects.requireNonNull(Services.open(node).block(PATIENCE));
    }

    static void serve(Node node, Pinning pinning) {
        Registration unused = Objects.requireNonNull(services(node)
                .export(ServiceSpec.of(SERVICE), Quotes.class, new Answering(pinning), ExportOptions.standard())
                .block(PATIENCE));
    }

    static void drive(Node node, Peer peer, Cell cell, Conversation conversation, Meter meter) {
        drive(services(node).client(peer, SERVICE, Quotes.class, ProxyOptions.standard()), cell, conversation, meter);
    }

    /** Calls from here on, until the meter has had enough. */
    static void drive(Quotes quotes, Cell cell, Conversation conversation, Meter meter) {
        if (cell.scenario() == Scenario.CALL_BYTES) {
            byte[] bytes = new byte[cell.size()];
            Arrays.fill(bytes, (byte) 'w');
            meter.begin();
            echo(quotes, bytes, 0, conversation, meter);
            return;
        }
        List<Order> first = new ArrayList<>();
        for (int i = 0; i < cell.outstanding(); i++) {
            first.add(conversation.next());
        }
        meter.begin();
        first.forEach(order -> quote(quotes, order, conversation, meter));
    }

    private static void quote(Quotes quotes, Order order, Conversation conversation, Meter meter) {
        Disposable unused = quotes.quote(order)
                .subscribe(
                        quote -> {
                            if (conversation.answered(order, quote)) {
                                quote(quotes, conversation.next(), conversation, meter);
                            }
                        },
                        meter::fail);
    }

    private static void echo(Quotes quotes, byte[] bytes, long number, Conversation conversation, Meter meter) {
        Disposable unused = quotes.echo(bytes)
                .subscribe(
                        same -> {
                            if (!Arrays.equals(same, bytes)) {
                                throw new IllegalStateException(
                                        "an echo of " + bytes.length + " bytes came with others");
                            }
                            if (conversation.answered(number)) {
                                echo(quotes, bytes, number + 1, conversation, meter);
                            }
                        },
                        meter::fail);
    }
}
