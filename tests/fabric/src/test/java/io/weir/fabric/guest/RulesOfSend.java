package io.weir.fabric.guest;

import io.weir.channel.Channel;
import io.weir.channel.Peer;
import io.weir.core.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscriber;
import org.reactivestreams.tck.SubscriberBlackboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** The rules of Reactive Streams for subscribers, on what subscribes to the source that a channel over a path sends. */
@Test
public abstract class RulesOfSend extends SubscriberBlackboxVerification<Message> {

    private final Fabric fabric;
    private Path folder;
    private Nodes nodes;
    private Peer peer;

    RulesOfSend(Fabric fabric) {
        super(Rules.environment());
        this.fabric = fabric;
    }

    @BeforeClass
    public void connect() throws IOException {
        folder = Files.createTempDirectory("rules");
        nodes = new Nodes(fabric, folder);
        peer = nodes.connect();
        nodes.far()
                .serve(
                        "anything",
                        channel -> channel.receive().doOnNext(Message::release).then());
    }

    @AfterClass
    public void close() throws IOException {
        nodes.close();
        Files.delete(folder);
    }

    /** What the channel subscribes with, caught by a publisher that only looks. */
    @Override
    @SuppressWarnings("unchecked")
    public Subscriber<Message> createSubscriber() {
        Channel channel = Nodes.got(peer.channel("anything"));
        CompletableFuture<Subscriber<? super Message>> caught = new CompletableFuture<>();
        var sending = channel.send(caught::complete).subscribe(nothing -> {}, error -> {});
        return (Subscriber<Message>)
                caught.orTimeout(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Override
    public Message createElement(int element) {
        return Message.of(Integer.toString(element));
    }
}
