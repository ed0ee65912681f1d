package io.weir.samples.stages;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.RemoteFailure;
import io.weir.samples.process.Cast;
import io.weir.samples.process.Sample;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** {@code weir sample stages} */
@Command(
        name = "stages",
        description = {
            "A pipeline over three processes: orders are made and invoices stored here, a second process looks "
                    + "up the price,",
            "a third one adds the tax. Demand, cancellation and errors go through all three."
        })
public final class Stages extends Sample {

    private static final int STORED = 300;
    private static final int AHEAD = 8;
    private static final Duration SLOWLY = Duration.ofMillis(2);

    /** So many of an item; what they cost is known behind the first stage, and with the tax behind the second. */
    public record Order(String item, int quantity) {}

    public record Priced(String item, int quantity, long cents) {}

    public record Invoice(String item, int quantity, long cents) {}

    private static final Codec<Order> ORDER = Codecs.json(Order.class);
    private static final Codec<Priced> PRICED = Codecs.json(Priced.class);
    private static final Codec<Invoice> INVOICE = Codecs.json(Invoice.class);

    private static final List<String> STAGES = List.of("prices", "taxes");

    /** The second process, or the third one. */
    public static void main(String[] arguments) throws IOException {
        Serving.until(strict(Serving.spec(arguments[0]).toBuilder()).build(), node -> {
            if (arguments[0].equals("prices")) {
                servePrices(node);
            } else {
                serveTaxes(node);
            }
        });
    }

    private static void servePrices(Node node) {
        // tag::pricing
        node.serve(
                "price",
                channel -> channel.send(
                        channel.receive(ORDER).map(order -> new Priced(order.item(), order.quantity(), cents(order))),
                        PRICED));
        // end::pricing
    }

    private static void serveTaxes(Node node) {
        // tag::taxing
        node.serve(
                "tax",
                channel -> channel.send(
                        channel.receive(PRICED)
                                .map(order -> new Invoice(order.item(), order.quantity(), order.cents() * 6 / 5)),
                        INVOICE));
        // end::taxing
    }

    private static long cents(Order order) {
        if (order.quantity() < 1) {
            throw new IllegalArgumentException(order.quantity() + " pieces of " + order.item() + " can't be ordered");
        }
        return 250L * order.quantity();
    }

    private static Flux<Invoice> invoices(Flux<Order> orders, Peer prices, Peer taxes) {
        // tag::stages
        Flux<Invoice> invoices =
                orders.transform(prices.stage("price", ORDER, PRICED)).transform(taxes.stage("tax", PRICED, INVOICE));
        // end::stages
        return invoices;
    }

    @Override
    protected NodeSpec.Builder tune(NodeSpec.Builder spec) {
        return strict(spec);
    }

    /** Nothing is sent before it is asked for, so that the figures are those of the demand alone. */
    private static NodeSpec.Builder strict(NodeSpec.Builder spec) {
        return spec.initialItems(0);
    }

    @Override
    protected void play(Cast cast) {
        List<Peer> peers = cast.startAll(Stages.class, STAGES);
        endless(cast, peers.get(0), peers.get(1));
        failing(cast, peers.get(0), peers.get(1));
    }

    private static void endless(Cast cast, Peer prices, Peer taxes) {
        AtomicLong made = new AtomicLong();
        Sinks.One<Boolean> cancelled = Sinks.one();
        Flux<Order> orders = Flux.<Order>generate(sink -> sink.next(new Order("mill", (int) made.incrementAndGet())))
                .doOnCancel(() -> cancelled.tryEmitValue(true).orThrow());
        Invoice last = cast.await(invoices(orders, prices, taxes)
                .limitRate(AHEAD)
                .concatMap(invoice -> Mono.just(invoice).delayElement(SLOWLY), 0)
                .take(STORED)
                .last());
        cast.row("endless", "300 invoices were stored, 2 ms each; " + made + " orders were made for them");
        cast.shows(last.equals(new Invoice("mill", STORED, STORED * 300L)), "each order becomes one invoice, in order");
        cast.shows(made.get() <= STORED + AHEAD, "the source is asked for what the end of the pipeline asks for");
        cast.shows(cast.await(cancelled.asMono()), "the source is cancelled when the end of the pipeline has enough");
    }

    private static void failing(Cast cast, Peer prices, Peer taxes) {
        Flux<Order> orders = Flux.just(new Order("mill", 1), new Order("weir", 0), new Order("lock", 2));
        List<Object> seen = cast.await(invoices(orders, prices, taxes)
                .cast(Object.class)
                .onErrorResume(RemoteFailure.class, Mono::just)
                .collectList());
        cast.row("failing", String.valueOf(seen.get(seen.size() - 1)));
        cast.shows(
                seen.size() == 2 && String.valueOf(seen.get(1)).contains("0 pieces of weir can't be ordered"),
                "what fails in another process fails the pipeline, behind what was done before");
    }
}
