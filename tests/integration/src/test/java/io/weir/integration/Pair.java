package io.weir.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerStats;
import io.weir.core.Message;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Two connected nodes of this JVM.
 *
 * @param near the one that has connected
 * @param far the one that was connected to
 * @param peer the far node as the near one sees it
 */
public record Pair(Node near, Node far, Peer peer) {

    private static final String QUIET = "quiet";

    /** What {@link #settle} needs. */
    public static void prepare(Node node) {
        var unused = node.answer(QUIET, Mono::just);
    }

    /** Both ends of one channel. */
    public record Ends(Channel near, Channel far) {}

    /** Opens a channel and yields both of its ends, without anything sent or received yet. */
    public Ends open(String port) {
        BlockingQueue<Channel> served = new LinkedBlockingQueue<>();
        Disposable serving = far.serve(port, channel -> {
            served.add(channel);
            return Mono.never();
        });
        try {
            Channel near = peer.channel(port).block(Patience.LIMIT);
            Channel accepted = served.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            if (near == null || accepted == null) {
                throw new AssertionError("no channel to " + port);
            }
            return new Ends(near, accepted);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            serving.dispose();
        }
    }

    /** The near node as the far one sees it. */
    public Peer back() {
        Patience.until("the far node has the connection", () -> nearOf(far).isPresent());
        return nearOf(far).orElseThrow();
    }

    /** What the near node has counted with the far one. */
    public PeerStats stats() {
        return near.stats().stream()
                .filter(stats -> stats.peer().equals(far.id()))
                .findFirst()
                .orElseThrow();
    }

    private Optional<Peer> nearOf(Node node) {
        return node.connected().stream()
                .filter(other -> other.id().equals(near.id()))
                .findFirst();
    }

    /**
     * Returns when what either side had begun before has reached the other: a few round trips on the same link, each of
     * which goes through the turn's end of both loops.
     */
    public void settle() {
        for (int i = 0; i < 5; i++) {
            Message answer = peer.ask(QUIET, Message.of("?")).block(Patience.LIMIT);
            if (answer == null) {
                throw new AssertionError("no answer");
            }
            String text = answer.text();
            answer.release();
            assertThat(text).isEqualTo("?");
        }
    }
}
