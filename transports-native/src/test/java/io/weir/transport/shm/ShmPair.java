package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PendingLink;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.nativelib.Posix;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Two ends of a link of shared memory in this process, each on a loop of its own, agreed on as two nodes would. */
final class ShmPair implements AutoCloseable {

    static final Duration LONG = Duration.ofSeconds(30);

    /** Given instead of the right side's options: both have the left side's, and no handler yet. */
    static final Map<String, String> WITHOUT_HANDLERS = Map.of("without", "handlers");

    final End left;
    final End right;

    private ShmPair(End left, End right) {
        this.left = left;
        this.right = right;
    }

    /** One end. */
    record End(NettyLoop loop, ShmLink link, Frames frames) {

        /** On its loop: offers this body, which goes to the link, or is released if that says no. */
        boolean offer(int number, ByteBuf body) {
            boolean taken =
                    link.offer(new Frame().set(FrameKind.DATA, 0, number, 0).body(body));
            if (!taken) {
                body.release();
            }
            return taken;
        }

        /** The same with so many bytes of the link's own memory. */
        boolean offer(int number, int length) {
            return offer(number, link.allocator().buffer(length).writerIndex(length));
        }

        /** The next frame must have this number. */
        void expect(int number) {
            Frames.Got got = frames.nextFrame();
            assertThat(got.channel()).isEqualTo(number);
            got.body().release();
        }

        /** The next frame must have this number, and a body of this length. */
        void expect(int number, int length) {
            Frames.Got got = frames.nextFrame();
            assertThat(got.channel()).isEqualTo(number);
            assertThat(got.body().readableBytes()).isEqualTo(length);
            got.body().release();
        }

        void run(Runnable step) {
            OnLoop.run(loop, step);
        }
    }

    /** An empty buffer of this length in the link's own memory, of which there is not so much in the beginning. */
    static ByteBuf block(Link link, int length) {
        ByteBuf[] buffer = {link.allocator().buffer(length)};
        OnLoop.until(() -> {
            if (link.takesInPlace(buffer[0])) {
                return true;
            }
            buffer[0].release();
            buffer[0] = link.allocator().buffer(length);
            return false;
        });
        return buffer[0];
    }

    static ShmPair open(Path folder, Waiting waiting, Map<String, String> options) {
        return open(folder, waiting, options, options);
    }

    static ShmPair open(Path folder, Waiting waiting, Map<String, String> left, Map<String, String> right) {
        boolean handlers = right != WITHOUT_HANDLERS;
        NettyLoop leftLoop = NettyLoop.start("left", waiting, true);
        NettyLoop rightLoop = NettyLoop.start("right", waiting, true);
        TransportSettings leftSettings = new TransportSettings(folder, true, left);
        TransportSettings rightSettings = new TransportSettings(folder, true, handlers ? right : left);
        PendingLink connecting = prepare(leftLoop, true, leftSettings);
        PendingLink accepting = prepare(rightLoop, false, rightSettings);
        CompletableFuture<End> leftEnd = complete(leftLoop, connecting, accepting.offer(), handlers);
        CompletableFuture<End> rightEnd = complete(rightLoop, accepting, connecting.offer(), handlers);
        return new ShmPair(OnLoop.await(leftEnd), OnLoop.await(rightEnd));
    }

    static PendingLink prepare(NettyLoop loop, boolean connecting, TransportSettings settings) {
        return OnLoop.get(loop, () -> new ShmTransport().prepare(request(loop, connecting, settings)));
    }

    static LinkRequest request(NettyLoop loop, boolean connecting, TransportSettings settings) {
        return new LinkRequest(
                card(connecting ? "left" : "right"),
                card(connecting ? "right" : "left"),
                connecting,
                loop,
                null,
                settings);
    }

    static PeerCard card(String name) {
        PeerId id = new PeerId(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)), name, 1);
        return new PeerCard(id, "boot", Posix.uid(), name, "host", 1, Map.of(), Map.of());
    }

    static CompletableFuture<End> complete(NettyLoop loop, PendingLink pending, byte[] theirs, boolean handle) {
        return pending.complete(theirs)
                .map(link -> {
                    Frames frames = new Frames();
                    if (handle) {
                        link.handler(frames);
                    }
                    return new End(loop, (ShmLink) link, frames);
                })
                .toFuture();
    }

    @Override
    public void close() {
        left.loop.close().block(LONG);
        right.loop.close().block(LONG);
    }
}
