package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.SessionLost;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.nativelib.OpenFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A link to another process, which also dies. */
@Timeout(180)
@ExtendWith(NothingLeft.class)
class TwoProcessesTest {

    @TempDir
    Path folder;

    private final Frame frame = new Frame();

    /** The other process and our end of the link to it. */
    private final class Pair implements AutoCloseable {

        final Process child;
        final BufferedReader out;
        final Writer in;
        final NettyLoop loop;
        final PendingLink pending;
        final CompletableFuture<ShmPair.End> end;

        Pair(Waiting waiting, String ring, String pool, String... prefix) throws IOException {
            List<String> command = new ArrayList<>(List.of(prefix));
            command.addAll(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx256m",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    ShmChild.class.getName(),
                    folder.toString(),
                    waiting.name(),
                    ring,
                    pool));
            child = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            out = child.inputReader(StandardCharsets.US_ASCII);
            in = child.outputWriter(StandardCharsets.US_ASCII);
            assertThat(out.readLine()).startsWith("Ready");
            loop = NettyLoop.start("parent", waiting, true);
            TransportSettings settings =
                    new TransportSettings(folder, true, Map.of("ring-size", ring, "pool-size", pool));
            pending = ShmPair.prepare(loop, false, settings);
            end = ShmPair.complete(loop, pending, HexFormat.of().parseHex(out.readLine()), true);
            tell(HexFormat.of().formatHex(pending.offer()));
        }

        void tell(String line) throws IOException {
            in.write(line + '\n');
            in.flush();
        }

        void ready() throws IOException {
            assertThat(out.readLine()).isEqualTo("ready");
            ShmPair.End opened = OnLoop.await(end);
            assertThat(opened.link().transport()).isEqualTo("shm");
        }

        @Override
        public void close() throws IOException {
            in.close();
            child.destroyForcibly();
            assertThat(child.onExit().orTimeout(30, TimeUnit.SECONDS).join()).isSameAs(child);
            loop.close().block(ShmPair.LONG);
        }
    }

    private static ByteBuf some(ShmPair.End end, int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        ByteBuf buffer = length > end.link().maxFrame()
                ? ShmPair.block(end.link(), length)
                : end.link().allocator().buffer(length);
        return buffer.writeBytes(bytes);
    }

    private static long checksum(ByteBuf body) {
        CRC32C sum = new CRC32C();
        sum.update(body.nioBuffer());
        return sum.getValue();
    }

    private void offer(ShmPair.End end, ByteBuf body) {
        end.run(() -> assertThat(
                        end.link().offer(frame.set(FrameKind.DATA, 0, 1, 0).body(body)))
                .isTrue());
    }

    @Test
    void everySizeComesBackWhole() throws IOException {
        try (Pair pair = new Pair(Waiting.BALANCED, "1m", "8m")) {
            pair.ready();
            ShmPair.End end = pair.end.join();
            for (int length : new int[] {0, 1, 32, 1_024, 2_048, 2_049, 65_536, 1 << 20, 8 << 20}) {
                ByteBuf sent = some(end, length, length);
                long expected = checksum(sent);
                offer(end, sent);
                ByteBuf got = end.frames().nextFrame().body();
                assertThat(got.readableBytes()).isEqualTo(length);
                assertThat(checksum(got)).isEqualTo(expected);
                got.release();
            }
        }
    }

    /**
     * Both processes sleep after every message and while the rings are full: a lost wake-up would end in the time-out.
     */
    @ParameterizedTest
    @EnumSource(
            value = Waiting.class,
            names = {"FRUGAL", "BALANCED"})
    void noWakeUpIsLost(Waiting waiting) throws IOException {
        try (Pair pair = new Pair(waiting, "64k", "64k")) {
            pair.ready();
            ShmPair.End end = pair.end.join();
            PingPong one = new PingPong(end, 10_000, 1);
            end.run(one::send);
            OnLoop.await(one.done);
            // More than fits into both rings: each side waits for the other's room, again and again.
            PingPong many = new PingPong(end, 20_000, 5_000);
            end.run(many::send);
            OnLoop.await(many.done);
        }
    }

    /** Keeps that many messages under way until that many have come back. */
    private static final class PingPong {

        final CompletableFuture<Void> done = new CompletableFuture<>();
        private final ShmPair.End end;
        private final int messages;
        private final int atOnce;
        private final Frame frame = new Frame();
        private int sent;
        private int back;

        PingPong(ShmPair.End end, int messages, int atOnce) {
            this.end = end;
            this.messages = messages;
            this.atOnce = atOnce;
            end.frames().onWritable = this::send;
            end.frames().onFrame = got -> {
                int length = lengthOf(back);
                if (got.bodyLength() != length || (length >= 4 && got.body().getInt(0) != back)) {
                    done.completeExceptionally(new AssertionError("message " + back + " came back as " + got));
                }
                got.release();
                if (++back == messages) {
                    done.complete(null);
                }
                send();
            };
        }

        private static int lengthOf(int number) {
            return number % 50 == 0 ? 3_000 : number % 60;
        }

        void send() {
            while (sent < messages && sent - back < atOnce) {
                int length = lengthOf(sent);
                ByteBuf body = end.link().allocator().buffer(length).writerIndex(length);
                if (length >= 4) {
                    body.setInt(0, sent);
                }
                if (!end.link().offer(frame.set(FrameKind.DATA, 0, 1, 0).body(body))) {
                    body.release();
                    return;
                }
                sent++;
            }
        }
    }

    @Test
    void aPeerThatClosesIsToldFromOneThatDies() throws IOException {
        try (Pair pair = new Pair(Waiting.BALANCED, "64k", "64k")) {
            pair.ready();
            pair.tell("close");
            assertThat(pair.end.join().frames().nextLost(SessionLost.class)).hasMessageContaining("has closed");
        }
    }

    /** Whenever the peer dies, we are told once, and nothing of it is left in this process. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1_000, 20_000})
    void aPeerKilledInTheMiddleLeavesNothing(int messages) throws Exception {
        // What is loaded and opened once is so before we count.
        try (Pair pair = new Pair(Waiting.BALANCED, "1m", "8m")) {
            pair.ready();
        }
        OnLoop.until(() -> Descriptor.open() == 0);
        List<String> before = ours();
        List<ByteBuf> held = new ArrayList<>();
        try (Pair pair = new Pair(Waiting.BALANCED, "1m", "8m")) {
            pair.ready();
            ShmPair.End end = pair.end.join();
            CountDownLatch enough = new CountDownLatch(messages);
            Flood flood = new Flood(end);
            end.frames().onFrame = got -> {
                if (got.bodyLength() > 2_048 && held.size() < 5) {
                    held.add(got.body());
                } else {
                    got.release();
                }
                enough.countDown();
                flood.answered();
            };
            end.run(flood::send);
            OnLoop.await(enough);
            pair.child.destroyForcibly();
            assertThat(end.frames().nextLost(SessionLost.class)).hasMessageContaining("without a goodbye");
            end.run(() -> assertThat(end.link().offer(frame.set(FrameKind.END, 0, 1, 0)))
                    .isFalse());
            end.frames().expectNothing();
        }
        // What we still hold of the dead peer's stays readable.
        OnLoop.until(() -> Descriptor.open() == 0);
        assertThat(Mapping.open()).isEqualTo(held.isEmpty() ? 0 : 1);
        held.forEach(body -> assertThat(body.getInt(0)).isEqualTo(4_711));
        held.forEach(ByteBuf::release);
        assertThat(ours()).containsExactlyElementsOf(before);
    }

    /**
     * Sends as much as there is room for, for ever, unless the peer, which keeps what it can't send back yet, falls far
     * behind.
     */
    private static final class Flood {

        private static final int UNANSWERED = 5_000;

        private final ShmPair.End end;
        private final Frame frame = new Frame();
        private int sent;
        private int answered;

        Flood(ShmPair.End end) {
            this.end = end;
            end.frames().onWritable = this::send;
        }

        void answered() {
            answered++;
            send();
        }

        void send() {
            for (; sent - answered < UNANSWERED; sent++) {
                int length = sent % 20 == 0 ? 50_000 : 100;
                ByteBuf body = end.link().allocator().buffer(length).writerIndex(length);
                body.setInt(0, 4_711);
                if (!end.link().offer(frame.set(FrameKind.DATA, 0, 1, 0).body(body))) {
                    body.release();
                    return;
                }
            }
        }
    }

    /** The descriptors of this process that a link may have made, and its shared mappings. */
    private static List<String> ours() throws IOException {
        List<String> found = new ArrayList<>();
        for (String kind : OpenFiles.all()) {
            if (kind.contains("weir-shm") || kind.contains("eventfd") || kind.startsWith("socket:")) {
                found.add(kind.replaceAll("[0-9]", ""));
            }
        }
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            found.addAll(maps.filter(line -> line.contains("weir-shm")).toList());
        }
        return found.stream().sorted().toList();
    }

    @Test
    void aPeerThatIsStoppedAndGoesOnLosesNothing() throws Exception {
        try (Pair pair = new Pair(Waiting.BALANCED, "64k", "64k")) {
            pair.ready();
            ShmPair.End end = pair.end.join();
            PingPong stopped = new PingPong(end, 20_000, 1_000);
            end.run(stopped::send);
            signal(pair.child, "STOP");
            end.run(() -> {});
            signal(pair.child, "CONT");
            OnLoop.await(stopped.done);
        }
    }

    private static void signal(Process process, String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    @Test
    void noMemoryForTheSegmentIsAClearErrorOnBothSides() throws IOException {
        // Below a megabyte for each file, which memory files are as well.
        String[] limited = {"sh", "-c", "ulimit -f 1000; exec \"$0\" \"$@\""};
        try (Pair pair = new Pair(Waiting.BALANCED, "1m", "8m", limited)) {
            assertThat(pair.out.readLine())
                    .startsWith("failed: ")
                    .contains("no shared memory of 9445376 bytes", "File too large", "weir.transport.shm.pool-size");
            try {
                ShmPair.End unexpected = OnLoop.await(pair.end);
                assertThat(unexpected).isNull();
            } catch (CompletionException e) {
                assertThat(e).hasCauseInstanceOf(PeerUnavailable.class).hasMessageContaining("socket");
            }
        }
    }
}
