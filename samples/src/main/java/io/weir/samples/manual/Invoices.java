package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import reactor.core.publisher.Flux;

/** A stage of a pipeline that runs at the peer. */
public final class Invoices {

    // tag::types
    public record Order(String item, int quantity) {}

    public record Invoice(String item, long cents) {}

    private static final Codec<Order> ORDER = Codecs.json(Order.class);
    private static final Codec<Invoice> INVOICE = Codecs.json(Invoice.class);
    // end::types

    private static final long PRICE = 250;

    private Invoices() {}

    public static void serve(Node node) {
        // tag::serve
        node.serve("billing", channel -> channel.send(channel.receive(ORDER).map(Invoices::bill), INVOICE));
        // end::serve
    }

    public static Flux<Invoice> bill(Peer peer, Flux<Order> orders) {
        // tag::stage
        Flux<Invoice> invoices = orders.transform(peer.stage("billing", ORDER, INVOICE));
        // end::stage
        return invoices;
    }

    private static Invoice bill(Order order) {
        if (order.quantity() < 1) {
            throw new IllegalArgumentException("an order of " + order.quantity() + " " + order.item());
        }
        return new Invoice(order.item(), order.quantity() * PRICE);
    }
}
