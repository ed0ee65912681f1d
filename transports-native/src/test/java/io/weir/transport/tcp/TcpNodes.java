package io.weir.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.weir.core.Bootstrap;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.RuntimeFolder;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Loops, listeners and links of a test; closing it fails if a buffer of a loop is still out. */
final class TcpNodes implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    final Bootstrap bootstrap = new TcpBootstrap();
    final TransportSettings settings;
    private final BlockingQueue<Accepted> accepted = new LinkedBlockingQueue<>();
    private final List<NettyLoop> loops = new ArrayList<>();

    /** A link, and the loop on which it was handed over. */
    record Accepted(Link link, NettyLoop loop) {}

    TcpNodes(boolean nativeAllowed, Map<String, String> options) {
        try {
            Path folder =
                    RuntimeFolder.open(Files.createTempDirectory("weir-tcp-").resolve("run"));
            settings = new TransportSettings(folder, nativeAllowed, options);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    NettyLoop loop(String name) {
        NettyLoop loop = (NettyLoop) bootstrap.newLoop(name, Waiting.BALANCED, settings);
        assertThat(loop.onEpoll()).isEqualTo(settings.nativeAllowed());
        loops.add(loop);
        return loop;
    }

    PeerAddress unix(String name) {
        return new PeerAddress(settings.runtimeFolder().resolve(name).toString(), -1);
    }

    Bootstrap.Listener listen(PeerAddress address, Loop loop) {
        return bootstrap.bind(address, settings, () -> loop, this::accept).block(PATIENCE);
    }

    Link connect(PeerAddress address, Loop loop) {
        return bootstrap.connect(address, settings, loop).block(PATIENCE);
    }

    void accept(Link link) {
        accepted.add(new Accepted(link, NettyLoop.current()));
    }

    Accepted accepted() throws InterruptedException {
        Accepted next = accepted.poll(30, TimeUnit.SECONDS);
        assertThat(next).as("an accepted connection").isNotNull();
        return next;
    }

    static Frame hello() {
        return new Frame()
                .set(FrameKind.HELLO, 0, 0, 0)
                .body(Unpooled.copiedBuffer("WEIR, hello", StandardCharsets.US_ASCII));
    }

    static Frame data(String text) {
        return new Frame().set(FrameKind.DATA, 0, 1, 0).body(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    static void send(Link link, Loop loop, Frame frame) {
        assertThat(OnLoop.get(loop, () -> link.offer(frame))).isTrue();
    }

    @Override
    public void close() {
        for (NettyLoop loop : loops) {
            long[] out = new long[1];
            try {
                loop.execute(() -> loop.closeAtEnd(
                        () -> loop.execute(() -> out[0] = loop.buffers().outstanding())));
            } catch (RejectedExecutionException e) {
                continue; // ended by the test
            }
            loop.close().block(PATIENCE);
            assertThat(out[0]).as("buffers of " + loop.name()).isZero();
        }
        assertThat(settings.runtimeFolder().toFile().list()).isEmpty();
        assertThat(settings.runtimeFolder().toFile().delete()).isTrue();
        assertThat(settings.runtimeFolder().getParent().toFile().delete()).isTrue();
    }
}
