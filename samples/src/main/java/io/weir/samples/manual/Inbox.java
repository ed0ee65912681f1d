package io.weir.samples.manual;

import io.weir.channel.Mailbox;
import io.weir.channel.Match;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/** A mailbox: all that any peer sends to a port, in one place, taken by choice. */
public final class Inbox {

    private Inbox() {}

    public static Disposable serve(Node node) {
        // tag::mailbox
        Mailbox orders = node.mailbox("orders");
        Disposable urgent = orders.matching(Match.control("urgency", "high"))
                .concatMap(order ->
                        order.answer(Message.of("at once: " + order.message().text())))
                .subscribe();
        // end::mailbox
        return Disposables.composite(urgent, orders);
    }

    public static Mono<Message> order(Peer peer, String item) {
        // tag::tagged
        Mono<Message> answer = peer.ask("orders", Message.of(item).with("urgency", "high"));
        // end::tagged
        return answer;
    }
}
