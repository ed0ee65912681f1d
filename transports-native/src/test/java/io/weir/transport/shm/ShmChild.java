package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.PendingLink;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.Map;
import java.util.Queue;

/**
 * The other process of a test: agrees on a link over its standard input and output, sends back what comes, and ends at
 * the end of its input. {@code close} on the input closes the link.
 */
final class ShmChild implements LinkHandler {

    private final Link link;
    private final Queue<ByteBuf> unsent = new ArrayDeque<>();
    private final Frame frame = new Frame();

    private ShmChild(Link link) {
        this.link = link;
    }

    /** Arguments: run-time folder, waiting, ring size, pool size. */
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        Map<String, String> options = Map.of("ring-size", args[2], "pool-size", args[3]);
        TransportSettings settings = new TransportSettings(Path.of(args[0]), true, options);
        System.out.println(new ShmTransport().availability(settings));
        NettyLoop loop = NettyLoop.start("child", Waiting.valueOf(args[1]), true);
        PendingLink pending = ShmPair.prepare(loop, true, settings);
        System.out.println(HexFormat.of().formatHex(pending.offer()));
        try {
            Link link = OnLoop.await(
                    pending.complete(HexFormat.of().parseHex(in.readLine())).toFuture());
            OnLoop.run(loop, () -> link.handler(new ShmChild(link)));
            System.out.println("ready");
            while ("close".equals(in.readLine())) {
                OnLoop.run(loop, link::close);
            }
        } catch (RuntimeException e) {
            System.out.println("failed: " + e.getMessage());
        }
        // Nothing else would end it if the loop hung.
        Runtime.getRuntime().halt(0);
    }

    @Override
    public void frame(Frame got) {
        ByteBuf body = got.body();
        int length = body.readableBytes();
        ByteBuf back = length > link.maxFrame()
                ? ShmPair.block(link, length)
                : link.allocator().buffer(length);
        back.writeBytes(body);
        body.release();
        unsent.add(back);
        writable();
    }

    @Override
    public void writable() {
        for (ByteBuf body = unsent.peek(); body != null; body = unsent.peek()) {
            if (!link.offer(frame.set(FrameKind.DATA, 0, 1, 0).body(body))) {
                return;
            }
            unsent.remove();
        }
    }

    @Override
    public void lost(WeirException reason) {
        System.out.println("lost: " + reason.getMessage());
    }
}
