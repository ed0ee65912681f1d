package io.weir.benchmark.jmh;

import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PendingLink;
import io.weir.core.Pollable;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.shm.ShmTransport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What a loop feels of idle peers over shared memory: its turns, and the round trip of the one that is busy. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ManyPeersBenchmark {

    private static final int TURNS = 100_000;
    private static final int TRIPS = 10_000;

    @Param({"0", "200", "1000"})
    private int idle;

    private Path folder;
    private NettyLoop near;
    private NettyLoop far;
    private ShmTransport transport;
    private Counter turns;
    private Ping ping;

    @Setup
    public void connect() throws IOException {
        folder = Files.createTempDirectory("weir-peers");
        near = NettyLoop.start("near", Waiting.LATENCY, true);
        far = NettyLoop.start("far", Waiting.BALANCED, true);
        transport = new ShmTransport();
        turns = new Counter();
        near.execute(() -> near.add(turns));
        for (int i = 0; i < idle; i++) {
            link(new Ignore(), link -> new Ignore());
        }
        ping = new Ping();
        link(ping, Pong::new);
    }

    @TearDown
    public void close() throws IOException {
        near.close().then(far.close()).block(NodePair.PATIENCE);
        try (var left = Files.list(folder)) {
            for (Path each : left.toList()) {
                Files.delete(each);
            }
        }
        Files.delete(folder);
    }

    private void link(Ignore here, Function<Link, Ignore> there) {
        PendingLink connecting = prepare(near, true);
        PendingLink accepting = prepare(far, false);
        CompletableFuture<Link> left = handled(connecting, accepting.offer(), link -> here.on(link));
        CompletableFuture<Link> right = handled(accepting, connecting.offer(), there);
        CompletableFuture.allOf(left, right).orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static CompletableFuture<Link> handled(PendingLink pending, byte[] theirs, Function<Link, Ignore> handler) {
        return pending.complete(theirs)
                .doOnNext(link -> link.handler(handler.apply(link)))
                .toFuture();
    }

    @SuppressWarnings("NullAway") // Shared memory does not use the bootstrap connection.
    private PendingLink prepare(NettyLoop loop, boolean connecting) {
        LinkRequest request = new LinkRequest(
                card(connecting ? "near" : "far"),
                card(connecting ? "far" : "near"),
                connecting,
                loop,
                null,
                new TransportSettings(folder, true, Map.of()));
        CompletableFuture<PendingLink> pending = new CompletableFuture<>();
        loop.execute(() -> pending.complete(transport.prepare(request)));
        return Objects.requireNonNull(pending.orTimeout(20, TimeUnit.SECONDS).join());
    }

    private static PeerCard card(String name) {
        PeerId id = new PeerId(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)), name, 1);
        return new PeerCard(id, "boot", Posix.uid(), name, "host", 1, Map.of(), Map.of());
    }

    /** A turn of the loop in which there is nothing to do. */
    @Benchmark
    @OperationsPerInvocation(TURNS)
    public void idleTurn() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        near.execute(() -> turns.begin(done));
        done.join();
    }

    /** A message there and back over the link whose peer is busy. */
    @Benchmark
    @OperationsPerInvocation(TRIPS)
    public void roundTrip() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        near.execute(() -> ping.begin(done));
        done.join();
    }

    private static final class Counter implements Pollable {

        private CompletableFuture<Void> done = new CompletableFuture<>();
        private int left;

        void begin(CompletableFuture<Void> done) {
            this.done = done;
            left = TURNS;
        }

        @Override
        public int poll() {
            if (--left == 0) {
                done.complete(null);
            }
            return 0;
        }

        @Override
        public boolean asleep() {
            return true;
        }

        @Override
        public void awake() {}
    }

    private static class Ignore implements LinkHandler {

        Ignore on(Link link) {
            return this;
        }

        @Override
        public void frame(Frame frame) {
            frame.release();
        }

        @Override
        public void writable() {}

        @Override
        public void lost(WeirException reason) {}
    }

    private static final class Ping extends Ignore {

        private final Frame frame = new Frame();
        private @Nullable Link link;
        private CompletableFuture<Void> done = new CompletableFuture<>();
        private int left;

        @Override
        Ignore on(Link link) {
            this.link = link;
            return this;
        }

        void begin(CompletableFuture<Void> done) {
            this.done = done;
            left = TRIPS;
            next();
        }

        private void next() {
            if (!Objects.requireNonNull(link)
                    .offer(frame.set(FrameKind.DATA, 0, 1, 0).body(Unpooled.EMPTY_BUFFER))) {
                done.completeExceptionally(new IllegalStateException("There is no room."));
            }
        }

        @Override
        public void frame(Frame frame) {
            frame.release();
            left--;
            if (left == 0) {
                done.complete(null);
            } else {
                next();
            }
        }
    }

    private static final class Pong extends Ignore {

        private final Frame answer = new Frame();
        private final Link link;

        Pong(Link link) {
            this.link = link;
        }

        @Override
        public void frame(Frame frame) {
            frame.release();
            boolean unused = link.offer(answer.set(FrameKind.DATA, 0, 1, 0).body(Unpooled.EMPTY_BUFFER));
        }
    }
}
