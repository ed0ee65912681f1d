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
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** The rules of Reactive Streams for publishers, on what a channel publishes. */
@Test
public class RulesOfReceiveTest extends PublisherVerification<Message> {

    private static final Parcels PARCELS = new Parcels(1, Sizes.TINY);

    private final Nodes nodes = new Nodes(Route.TCP);
    private Peer peer;

    public RulesOfReceiveTest() {
        super(new TestEnvironment(2_000, 100), 2_000);
    }

    @BeforeClass
    public void connect() {
        Pair pair = nodes.pair();
        var numbers = pair.far()
                .serve(
                        "numbers",
                        channel -> channel.send(channel.receive().next().flatMapMany(message -> {
                            long count = Long.parseLong(message.text());
                            message.release();
                            return PARCELS.flux(count);
                        })));
        var fails = pair.far().serve("fails", channel -> {
            throw new IllegalStateException("on purpose");
        });
        peer = pair.peer();
    }

    @AfterClass
    public void close() {
        nodes.close();
        Patience.until("no payload is out", () -> Payloads.out() == 0);
        LeakWatch.failOnLeaks();
    }

    @Override
    public Publisher<Message> createPublisher(long elements) {
        Channel channel = Objects.requireNonNull(peer.channel("numbers").block(Patience.LIMIT));
        var sending =
                channel.send(Flux.just(Message.of(Long.toString(elements)))).subscribe();
        return new Releasing(channel.receive());
    }

    @Override
    public Publisher<Message> createFailedPublisher() {
        Channel channel = Objects.requireNonNull(peer.channel("fails").block(Patience.LIMIT));
        return new Releasing(channel.receive());
    }

    /** Releases each message; otherwise hands everything on as it is. */
    private record Releasing(Publisher<Message> of) implements Publisher<Message> {

        @Override
        public void subscribe(Subscriber<? super Message> to) {
            of.subscribe(to == null ? null : new Each(to));
        }
    }

    private record Each(Subscriber<? super Message> to) implements Subscriber<Message> {

        @Override
        public void onSubscribe(Subscription subscription) {
            to.onSubscribe(subscription);
        }

        @Override
        public void onNext(Message message) {
            message.release();
            to.onNext(message);
        }

        @Override
        public void onError(Throwable error) {
            to.onError(error);
        }

        @Override
        public void onComplete() {
            to.onComplete();
        }
    }
}
