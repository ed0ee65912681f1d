package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.PeerAddress;
import io.weir.core.SessionLost;
import io.weir.fabric.guest.Fabric.End;
import io.weir.samples.process.Serving;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A process that dies while either side reads the other's memory. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class KilledPeerScene {

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#here")
    void whoSurvivesIsToldAndHoldsNothing(Fabric fabric) throws IOException, InterruptedException {
        try (Program far = Program.serve(Jvm.command(FarProcess.class), fabric.environment(End.FAR));
                Nodes nodes = new Nodes(fabric, folder)) {
            Node near = nodes.start(End.NEAR, fabric.path);
            Peer peer = Nodes.got(near.connect(PeerAddress.parse(far.says(Serving.READY))));
            assertThat(Nodes.path(peer)).isEqualTo(fabric.path);
            AtomicLong read = new AtomicLong();
            AtomicLong made = new AtomicLong();
            CompletableFuture<Void> reading = Nodes.got(peer.channel(Bodies.POUR))
                    .receive()
                    .doOnNext(body -> Bodies.check(body, read.getAndIncrement(), Bodies.LONG))
                    .then()
                    .toFuture();
            CompletableFuture<Void> sending = peer.channel(Bodies.SINK)
                    .flatMap(channel -> channel.send(
                            Bodies.endless(channel.allocator(), Bodies.LONG).doOnNext(body -> made.incrementAndGet())))
                    .toFuture();
            Patience.until(
                    () -> "both flow, " + reading + " and " + sending,
                    () -> read.get() > 16 && made.get() > 16 || reading.isDone() || sending.isDone());

            far.kill();

            assertLost(reading, peer);
            assertLost(sending, peer);
            Patience.until(() -> "nobody is connected", () -> near.connected().isEmpty());
        }
    }

    private static void assertLost(CompletableFuture<Void> stream, Peer peer) {
        assertThat(stream)
                .failsWithin(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(SessionLost.class)
                .withMessageContaining(peer.id() + " is gone");
    }
}
