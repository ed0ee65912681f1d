package io.weir.fabric.guest;

import io.weir.channel.Channel;
import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/**
 * The rules of Reactive Streams for publishers, on what a channel over a path publishes: the source is the other end's.
 */
@Test
public abstract class RulesOfReceive extends PublisherVerification<String> {

    private static final Codec<String> TEXT = Codecs.text();

    private final Fabric fabric;
    private Path folder;
    private Nodes nodes;
    private Peer peer;

    RulesOfReceive(Fabric fabric) {
        super(Rules.environment(), Rules.PATIENCE_MILLIS);
        this.fabric = fabric;
    }

    @BeforeClass
    public void connect() throws IOException {
        folder = Files.createTempDirectory("rules");
        nodes = new Nodes(fabric, folder);
        peer = nodes.connect();
        nodes.far()
                .serve(
                        "numbers",
                        channel -> channel.send(channel.receive(TEXT)
                                .next()
                                .flatMapMany(count -> Flux.range(
                                                0, (int) Math.min(Integer.MAX_VALUE, Long.parseLong(count)))
                                        .map(number -> Message.of(Integer.toString(number))))));
        nodes.far().serve("fails", channel -> {
            throw new IllegalStateException("on purpose");
        });
    }

    @AfterClass
    public void close() throws IOException {
        nodes.close();
        Files.delete(folder);
    }

    @Override
    public Publisher<String> createPublisher(long elements) {
        Channel channel = Nodes.got(peer.channel("numbers"));
        var sending =
                channel.send(Flux.just(Message.of(Long.toString(elements)))).subscribe();
        return channel.receive(TEXT);
    }

    @Override
    public Publisher<String> createFailedPublisher() {
        return Nodes.got(peer.channel("fails")).receive(TEXT);
    }

    // These wait for as long as anything may take, and see nothing of the path: they are run over tcp, with less
    // patience.

    @Override
    @Test(enabled = false)
    public void required_spec309_requestZeroMustSignalIllegalArgumentException() {}

    @Override
    @Test(enabled = false)
    public void required_spec309_requestNegativeNumberMustSignalIllegalArgumentException() {}

    @Override
    @Test(enabled = false)
    public void optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage() {}

    @Override
    @Test(enabled = false)
    public void required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber() {}
}
