package io.weir.integration.channel;

import io.weir.channel.Channel;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.integration.Nodes;
import io.weir.integration.Pair;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Route;
import io.weir.integration.Sizes;
import io.weir.tck.LeakWatch;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscriber;
import org.reactivestreams.tck.SubscriberBlackboxVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** The rules of Reactive Streams for subscribers, on what subscribes to the source that a channel sends. */
@Test
public class RulesOfSendTest extends SubscriberBlackboxVerification<Message> {

    private static final Parcels PARCELS = new Parcels(1, Sizes.TINY);

    private final Nodes nodes = new Nodes(Route.TCP);
    private Peer peer;

    public RulesOfSendTest() {
        super(new TestEnvironment(2_000, 100));
    }

    @BeforeClass
    public void connect() {
        Pair pair = nodes.pair();
        var sink = pair.far()
                .serve(
                        "sink",
                        channel -> channel.receive().doOnNext(Message::release).then());
        peer = pair.peer();
    }

    @AfterClass
    public void close() {
        nodes.close();
        Patience.until("no payload is out", () -> Payloads.out() == 0);
        LeakWatch.failOnLeaks();
    }

    /** What the channel subscribes with, caught by a publisher that only looks. */
    @Override
    @SuppressWarnings("unchecked")
    public Subscriber<Message> createSubscriber() {
        Channel channel = Objects.requireNonNull(peer.channel("sink").block(Patience.LIMIT));
        CompletableFuture<Subscriber<? super Message>> caught = new CompletableFuture<>();
        var sending = channel.send(caught::complete).subscribe(nothing -> {}, error -> {});
        return (Subscriber<Message>)
                caught.orTimeout(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Override
    public Message createElement(int element) {
        return PARCELS.message(element);
    }
}
