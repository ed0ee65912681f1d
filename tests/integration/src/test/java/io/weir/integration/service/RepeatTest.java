package io.weir.integration.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.FrameKind;
import io.weir.core.Message;
import io.weir.core.MessageTooLarge;
import io.weir.core.Overloaded;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.core.Repeat;
import io.weir.core.SessionLost;
import io.weir.core.TimedOut;
import io.weir.core.WeirException;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Stranger;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/**
 * What an error says about what may be repeated: a node, and a peer that is played by hand so that it stops where it
 * should.
 */
class RepeatTest implements OnRoute {

    private static final long PLENTY = 1 << 20;

    private static Peer stranger(Node node) {
        Patience.until("connected", () -> !node.connected().isEmpty());
        return node.connected().get(0);
    }

    private static Probe<Message> ask(Peer peer, int size) {
        Probe<Message> probe = Probe.releasing(1);
        peer.ask("port", Message.of(new byte[size])).subscribe(probe);
        return probe;
    }

    private static void check(Probe<?> probe, Class<? extends WeirException> type, Repeat expected) {
        Throwable error = probe.awaitError();
        assertThat(error).isInstanceOf(type);
        assertThat(((WeirException) error).repeat()).as(error.toString()).isEqualTo(expected);
    }

    private static void queued(Node node, long bytes) {
        Patience.until("it waits", () -> node.stats().get(0).queuedBytes() == bytes);
    }

    @Test
    void whatWasNotSentMayBeRepeated(Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.inSession(node.address())) {
            Peer peer = stranger(node);
            Probe<Message> waits = ask(peer, 10);
            Probe<Channel> opening = Probe.of(1, channel -> {});
            var open = stranger.await(FrameKind.OPEN);
            assertThat(open.text()).isEqualTo("port");
            peer.channel("other").subscribe(opening);
            assertThat(stranger.await(FrameKind.OPEN).text()).isEqualTo("other");
            stranger.close();
            check(waits, SessionLost.class, Repeat.ANY);
            // The peer has it, and may have begun with it.
            check(opening, SessionLost.class, Repeat.IDEMPOTENT);
            check(ask(peer, 10), SessionLost.class, Repeat.ANY);
            Probe<Channel> tooLate = Probe.of(1, channel -> {});
            peer.channel("other").subscribe(tooLate);
            check(tooLate, SessionLost.class, Repeat.ANY);
        }
    }

    /** Three of five messages that the peer lets in are sent, as far as its bytes go; the fourth waits for more. */
    @Test
    void whatWasSentMayHaveBeenDone(Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.inSession(node.address())) {
            Peer peer = stranger(node);
            List<Probe<Message>> sent =
                    Stream.generate(() -> ask(peer, 100)).limit(2).toList();
            int channel = stranger.await(FrameKind.OPEN).channel();
            stranger.send(FrameKind.ACCEPT, channel, 5, 250);
            assertThat(stranger.await(FrameKind.DATA).body()).hasSize(100);
            assertThat(stranger.await(FrameKind.DATA).body()).hasSize(100);
            Probe<Void> told = Probe.end();
            peer.tell("port", Message.of(new byte[50])).subscribe(told);
            told.awaitComplete();
            Probe<Void> halfTold = Probe.end();
            peer.tell("port", Message.of(new byte[101])).subscribe(halfTold);
            Probe<Message> queued = ask(peer, 100);
            queued(node, 201);
            Probe<Message> withoutCredit = ask(peer, 100);
            peer.channel("other").subscribe(Probe.of(1, opened -> {}));
            assertThat(stranger.await(FrameKind.OPEN).text()).isEqualTo("other");
            stranger.close();
            sent.forEach(each -> check(each, SessionLost.class, Repeat.IDEMPOTENT));
            check(halfTold, SessionLost.class, Repeat.ANY);
            check(queued, SessionLost.class, Repeat.ANY);
            check(withoutCredit, SessionLost.class, Repeat.ANY);
        }
    }

    /** Of a message in pieces, one piece is enough. */
    @Test
    void whatWasSentInPartMayHaveBeenDone(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.transportOption("tcp", "send-buffer", "4k"));
        try (Stranger stranger = Stranger.inSession(node.address())) {
            Peer peer = stranger(node);
            int size = 32 << 20;
            Probe<Void> told = Probe.end();
            peer.tell("port", Message.of(new byte[size])).subscribe(told);
            Probe<Void> behind = Probe.end();
            peer.tell("port", Message.of(new byte[size])).subscribe(behind);
            int channel = stranger.await(FrameKind.OPEN).channel();
            stranger.send(FrameKind.ACCEPT, channel, 5, 4L * size);
            assertThat(stranger.await(FrameKind.FIRST).first()).isEqualTo(size);
            stranger.close();
            check(told, SessionLost.class, Repeat.IDEMPOTENT);
            check(behind, SessionLost.class, Repeat.ANY);
        }
    }

    @Test
    void aStreamThatEndsWithItsPeer(Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.inSession(node.address())) {
            Peer peer = stranger(node);
            Mono<Channel> opening = peer.channel("port").cache();
            opening.subscribe();
            stranger.send(FrameKind.ACCEPT, stranger.await(FrameKind.OPEN).channel(), PLENTY, PLENTY);
            Channel channel = opening.block(Patience.LIMIT);
            Probe<Void> sending = Probe.end();
            channel.send(Mono.just(Message.of("one")).concatWith(Mono.never())).subscribe(sending);
            Probe<Message> receiving = Probe.releasing(1);
            channel.receive().subscribe(receiving);
            stranger.await(FrameKind.DATA);
            stranger.close();
            check(sending, SessionLost.class, Repeat.IDEMPOTENT);
            check(receiving, SessionLost.class, Repeat.IDEMPOTENT);
        }
    }

    @Test
    void aPeerThatHasTooMuchToDo(Nodes nodes) {
        Node node = nodes.start("node");
        try (Stranger stranger = Stranger.inSession(node.address())) {
            Peer peer = stranger(node);
            Probe<Message> refused = ask(peer, 10);
            overloaded(stranger, stranger.await(FrameKind.OPEN).channel());
            check(refused, Overloaded.class, Repeat.ANY);
            Probe<Message> sent = ask(peer, 10);
            int channel = stranger.await(FrameKind.OPEN).channel();
            stranger.send(FrameKind.ACCEPT, channel, 1, PLENTY);
            stranger.await(FrameKind.DATA);
            Probe<Message> waiting = ask(peer, 10);
            // Once this one is here, the other one waits.
            peer.channel("other").subscribe(Probe.of(1, opened -> {}));
            assertThat(stranger.await(FrameKind.OPEN).text()).isEqualTo("other");
            overloaded(stranger, channel);
            check(sent, Overloaded.class, Repeat.IDEMPOTENT);
            check(waiting, Overloaded.class, Repeat.ANY);
        }
    }

    private static void overloaded(Stranger stranger, int channel) {
        stranger.send(FrameKind.ERROR, 0, channel, 4, new byte[0]);
    }

    @Test
    void whatIsRepeatedInVain(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.maxMessage(4096));
        var unused = pair.far().answer("port", message -> {
            message.release();
            return Mono.error(new IllegalStateException("no"));
        });
        check(ask(pair.peer(), 10), RemoteFailure.class, Repeat.NEVER);
        check(ask(pair.peer(), 5000), MessageTooLarge.class, Repeat.NEVER);
        Probe<Channel> nobody = Probe.of(1, channel -> {});
        pair.peer().channel("nobody").subscribe(nobody);
        check(nobody, Refused.class, Repeat.NEVER);
    }

    @Test
    void moreChannelsThanThereMayBe(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.maxChannels(1));
        Pair.Ends ends = pair.open("one");
        Probe<Channel> tooMany = Probe.of(1, channel -> {});
        pair.peer().channel("two").subscribe(tooMany);
        check(tooMany, Overloaded.class, Repeat.ANY);
        ends.near().close().block(Patience.LIMIT);
    }

    @Test
    void connecting(Nodes nodes) throws IOException {
        Node node = nodes.start("node", spec -> spec.handshakeTimeout(Duration.ofMillis(50)));
        Probe<Peer> absent = Probe.of(1, peer -> {});
        node.connect("unix:/nowhere/node.sock").subscribe(absent);
        check(absent, PeerUnavailable.class, Repeat.ANY);
        try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Probe<Peer> silent = Probe.of(1, peer -> {});
            node.connect("127.0.0.1:" + mute.getLocalPort()).subscribe(silent);
            check(silent, TimedOut.class, Repeat.ANY);
        }
    }
}
