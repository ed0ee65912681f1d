package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.LinkHandler;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import io.weir.core.WeirException;
import io.weir.peer.TunnelRoute;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** What comes through a gateway may be anything. */
@Tag("one-jdk")
class HostileTunnelTest {

    private static final int FOLLOWS = 0x10;
    private static final int DATA = FrameKind.DATA.code();
    private static final int UNKNOWN = 0xf5;

    static Stream<Arguments> whatIsNoFrame() {
        return Stream.of(
                Arguments.of("a frame of 8 bytes", List.of(new byte[8])),
                Arguments.of("of the kind 99", List.of(head(99, 0, 0, 0))),
                Arguments.of("DATA of 5 bytes", List.of(head(DATA, 0, 5, 4))),
                Arguments.of("DATA of 70000 bytes", List.of(head(DATA, FOLLOWS, 70_000, 0))),
                Arguments.of("DATA of 4294967295 bytes", List.of(head(DATA, FOLLOWS, -1, 0))),
                Arguments.of("DATA of 0 bytes", List.of(head(DATA, FOLLOWS, 0, 0))),
                Arguments.of("DATA of 5 bytes", List.of(head(DATA, FOLLOWS, 5, 5), new byte[5])),
                Arguments.of("4 bytes instead of the 5 of a body", List.of(head(DATA, FOLLOWS, 5, 0), new byte[4])),
                Arguments.of("0 bytes instead of the 5 of a body", List.of(head(DATA, FOLLOWS, 5, 0), new byte[0])));
    }

    /** A header of so many bytes, with so many zeros behind it. */
    private static byte[] head(int kind, int flags, int length, int behind) {
        ByteBuf bytes = Unpooled.buffer()
                .writeLongLE(FrameLayout.word0(kind, flags, 0, length))
                .writeLongLE(1)
                .writeZero(behind);
        byte[] all = new byte[bytes.readableBytes()];
        bytes.readBytes(all);
        return all;
    }

    @ParameterizedTest
    @MethodSource("whatIsNoFrame")
    void endsTheTunnelAndSaysWhy(String text, List<byte[]> messages) throws Exception {
        Seen seen = after(messages);

        assertThat(seen.lost.get(Tunnel.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining(text);
        assertThat(seen.length).isNotDone();
    }

    @Test
    void skipsWhatMayBeSkippedWithTheBodyThatFollows() throws Exception {
        Seen seen = after(List.of(
                head(UNKNOWN, 0, 3, 3),
                head(UNKNOWN, FOLLOWS, 6, 0),
                new byte[6],
                head(DATA, FOLLOWS, 5, 0),
                new byte[5]));

        assertThat(seen.length.get(Tunnel.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(5);
    }

    private static Seen after(List<byte[]> messages) throws Exception {
        Node far = Tunnel.start("far", "tcp");
        Node near = Tunnel.start("near", "tcp");
        try {
            BlockingQueue<TunnelLink> accepted = Tunnel.accepting(far);
            Channel channel = Tunnel.got(Tunnel.got(near.connect(far.address())).channel(TunnelRequest.TUNNEL_PORT));
            var unused = channel.send(Flux.fromIterable(messages)
                            .map(Message::of)
                            .startWith(TunnelRequest.greeting(
                                    TunnelRoute.NONE.leg("tcp").gateway("gate")))
                            .concatWith(Flux.never()))
                    .subscribe(nothing -> {}, failure -> {});
            TunnelLink link = Objects.requireNonNull(accepted.poll(Tunnel.LIMIT.toSeconds(), TimeUnit.SECONDS));
            Seen seen = new Seen();
            far.connected().get(0).session().loop().execute(() -> link.handler(seen));
            var either =
                    CompletableFuture.anyOf(seen.lost, seen.length).get(Tunnel.LIMIT.toSeconds(), TimeUnit.SECONDS);
            return seen;
        } finally {
            near.close().then(far.close()).block(Tunnel.LIMIT);
        }
    }

    private static final class Seen implements LinkHandler {

        final CompletableFuture<WeirException> lost = new CompletableFuture<>();
        /** Of the first frame's body. */
        final CompletableFuture<Integer> length = new CompletableFuture<>();

        @Override
        public void frame(Frame frame) {
            length.complete(frame.body().readableBytes());
            frame.release();
        }

        @Override
        public void writable() {}

        @Override
        public void lost(WeirException reason) {
            lost.complete(reason);
        }
    }
}
