package io.weir.fabric.guest;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.PeerAddress;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;

/**
 * A node in a process of its own, as its environment says, between which and each {@link FarProcess} whose address it
 * is told long messages flow both ways until its input ends. On its output each line begins with a word and the number
 * of the peer:
 *
 * <pre>
 * CONNECTS 0            it begins to
 * PATH 0 p4sock         it has
 * ALONE 0               the peer has no others
 * AT 0 17 18 p4sock 1 0 so many messages were read and made, over which path, which is the how manieth one, and frames
 * rejected
 * LOST 0 why            one of both streams has failed
 * </pre>
 */
final class Streaming {

    private static final Duration LOOK = Duration.ofMillis(20);

    private final int number;
    private final Peer peer;
    private final AtomicLong read = new AtomicLong();
    private final AtomicLong made = new AtomicLong();

    private Streaming(int number, Peer peer) {
        this.number = number;
        this.peer = peer;
    }

    public static void main(String[] arguments) throws IOException {
        Serving.until(Serving.spec("near"), node -> begin(node, arguments));
    }

    private static void begin(Node node, String[] addresses) {
        for (int i = 0; i < addresses.length; i++) {
            System.out.println("CONNECTS " + i);
            Peer peer = Nodes.got(node.connect(PeerAddress.parse(addresses[i])));
            System.out.println("PATH " + i + ' ' + Nodes.path(peer));
            new Streaming(i, peer).begin();
        }
    }

    private void begin() {
        peer.channel(Bodies.POUR)
                .flatMapMany(channel -> channel.receive())
                .subscribe(body -> Bodies.check(body, read.getAndIncrement(), Bodies.LONG), this::lost, this::ended);
        peer.channel(Bodies.SINK)
                .flatMap(channel -> channel.send(
                        Bodies.endless(channel.allocator(), Bodies.LONG).doOnNext(body -> made.incrementAndGet())))
                .subscribe(nothing -> {}, this::lost, this::ended);
        peer.ask(FarProcess.PEERS, "", FarProcess.TEXT, FarProcess.TEXT)
                .repeatWhen(again -> again.delayElements(LOOK))
                .takeUntil("1"::equals)
                .subscribe(count -> {}, this::lost, () -> System.out.println("ALONE " + number));
        Flux.interval(LOOK)
                .onBackpressureDrop()
                .map(tick -> "AT " + number + ' ' + read + ' ' + made + ' ' + Nodes.path(peer) + ' '
                        + peer.pathHistory().size() + ' ' + peer.stats().rejectedFrames())
                .distinctUntilChanged()
                .subscribe(System.out::println);
    }

    private void lost(Throwable why) {
        System.out.println("LOST " + number + ' ' + String.valueOf(why).replace('\n', ' '));
    }

    private void ended() {
        System.out.println("LOST " + number + " it has ended");
    }

    /** How far one is, as it has said. */
    record At(long read, long made, String path, int paths, long rejected) {

        private static At parse(String line) {
            String[] words = line.split(" ", -1);
            return new At(
                    Long.parseLong(words[0]),
                    Long.parseLong(words[1]),
                    words[2],
                    Integer.parseInt(words[3]),
                    Long.parseLong(words[4]));
        }

        /** Where the stream with this peer is now. */
        static At now(Program streaming, int peer) throws IOException, InterruptedException {
            var unused = streaming.says("AT " + peer + ' ');
            return parse(streaming.lastSaid("AT " + peer + ' ').orElseThrow());
        }

        /** Returns when both streams are some messages further than this; neither may have failed before. */
        At further(Program streaming, int peer) throws IOException, InterruptedException {
            Patience.until(() -> "further than " + this, () -> {
                if (streaming.lastSaid("LOST " + peer).isPresent()) {
                    throw new AssertionError("lost: " + streaming.said());
                }
                At now = now(streaming, peer);
                return now.read >= read + 16 && now.made >= made + 16;
            });
            return now(streaming, peer);
        }
    }
}
