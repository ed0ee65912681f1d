package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Channel;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Message;
import io.weir.integration.Nodes;
import io.weir.integration.Pair;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Sizes;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/** A stream of parcels there and its echo back, as long as wanted. */
final class Echoed {

    private final AtomicBoolean over = new AtomicBoolean();
    private final Probe<Message> back;
    private final Probe<Void> sent;

    Echoed(Pair pair, long seed, Sizes sizes) {
        this(pair.peer(), seed, sizes);
    }

    /** With a peer that sends back what comes. */
    Echoed(Peer peer, long seed, Sizes sizes) {
        Parcels parcels = new Parcels(seed, sizes);
        Channel channel = Objects.requireNonNull(peer.channel("echo").block(Patience.LIMIT));
        back = Probe.of(Long.MAX_VALUE, parcels.checker());
        sent = Probe.end();
        channel.receive().subscribe(back);
        channel.sendDelivered(parcels.flux(Long.MAX_VALUE).takeWhile(message -> {
                    boolean last = over.get();
                    if (last) {
                        message.release();
                    }
                    return !last;
                }))
                .subscribe(sent);
    }

    /** Two nodes, the far one of which sends back what comes. */
    static Pair pair(Nodes nodes, UnaryOperator<NodeSpec.Builder> near, UnaryOperator<NodeSpec.Builder> far) {
        return serving(nodes.pair(near, far));
    }

    static Pair serving(Pair pair) {
        pair.far().serve("echo", channel -> channel.send(channel.receive()));
        return pair;
    }

    long received() {
        return back.received();
    }

    void awaitReceived(long count) {
        back.awaitReceived(count);
    }

    void goesOn() {
        back.awaitReceived(back.received() + 100);
    }

    void end() {
        over.set(true);
        sent.awaitComplete();
        back.awaitComplete();
        assertThat(back.received()).isPositive();
    }

    /** Why it has ended, at the one who receives the echo. */
    Throwable failure() {
        return back.awaitError();
    }
}
