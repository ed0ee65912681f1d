package io.weir.transport.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import io.weir.core.Availability;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.LinkRequest;
import io.weir.core.Misconfigured;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.loop.Received;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class LocalLinkTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final LocalTransport transport = new LocalTransport();
    private final List<NettyLoop> loops = new ArrayList<>();
    private TransportSettings settings = new TransportSettings(Path.of("/nowhere"), true, Map.of("queue", "16"));

    private NettyLoop loop(Waiting waiting) {
        NettyLoop loop = NettyLoop.start("local-" + loops.size(), waiting, loops.size() % 2 == 0);
        loops.add(loop);
        return loop;
    }

    @AfterEach
    void nothingIsLeft() {
        loops.forEach(loop -> loop.close().block(PATIENCE));
        assertThat(Halves.waiting()).isZero();
    }

    private static PeerCard card(String process) {
        PeerId id = new PeerId(new UUID(1, 2), "node", 1);
        return new PeerCard(id, "boot", 0, process, "host", 1, Map.of("local", ""), Map.of());
    }

    private PendingLink half(NettyLoop loop, boolean connecting) {
        return OnLoop.get(
                loop, () -> transport.prepare(new LinkRequest(card("a"), card("a"), connecting, loop, null, settings)));
    }

    private static CompletableFuture<Link> complete(NettyLoop loop, PendingLink half, byte[] theirs) {
        CompletableFuture<Link> result = new CompletableFuture<>();
        loop.execute(() -> {
            var unused = half.complete(theirs).subscribe(result::complete, result::completeExceptionally);
        });
        return result;
    }

    /** Two joined links, each with a handler that keeps what it gets. */
    private final class Pair {
        final NettyLoop firstLoop;
        final NettyLoop secondLoop;
        final Link first;
        final Link second;
        final Received atFirst;
        final Received atSecond;

        Pair(NettyLoop firstLoop, NettyLoop secondLoop) {
            this.firstLoop = firstLoop;
            this.secondLoop = secondLoop;
            PendingLink one = half(firstLoop, true);
            PendingLink other = half(secondLoop, false);
            first = OnLoop.await(complete(firstLoop, one, other.offer()));
            second = OnLoop.await(complete(secondLoop, other, one.offer()));
            OnLoop.run(firstLoop, one::close);
            OnLoop.run(secondLoop, other::close);
            atFirst = new Received(firstLoop);
            atSecond = new Received(secondLoop);
        }

        Pair receiving() {
            OnLoop.run(firstLoop, () -> first.handler(atFirst));
            OnLoop.run(secondLoop, () -> second.handler(atSecond));
            return this;
        }
    }

    private static Frame data(ByteBuf body) {
        return new Frame().set(FrameKind.DATA, 0, 1, 0).body(body);
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static void send(NettyLoop loop, Link link, ByteBuf body) {
        assertThat(OnLoop.get(loop, () -> link.offer(data(body)))).isTrue();
    }

    @Test
    void isFoundByItsInterfaceAndReachesItsOwnProcessOnly() {
        Transport found = ServiceLoader.load(Transport.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals("local"))
                .findFirst()
                .orElseThrow();
        assertThat(found.availability(new TransportSettings(Path.of("/nowhere"), false, Map.of())))
                .isEqualTo(new Availability.Ready());
        assertThat(found.reaches(card("a"), card("a"))).isNull();
        assertThat(found.reaches(card("a"), card("b"))).isEqualTo("the peer runs in another process");
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    void passesFramesOnBetweenTwoLoops(Waiting waiting) throws Exception {
        Pair pair = new Pair(loop(waiting), loop(waiting)).receiving();
        exchange(pair);
    }

    @Test
    void passesFramesOnWithinOneLoop() throws Exception {
        NettyLoop loop = loop(Waiting.FRUGAL);
        exchange(new Pair(loop, loop).receiving());
    }

    private static void exchange(Pair pair) throws Exception {
        assertThat(pair.first.transport()).isEqualTo("local");
        ByteBuf body = text("by reference");
        byte[] control = {1, 2};
        assertThat(OnLoop.get(
                        pair.firstLoop,
                        () -> pair.first.offer(new Frame()
                                .set(FrameKind.CREDIT, 3, -4, 5)
                                .words(6, -7)
                                .control(control)
                                .body(body))))
                .isTrue();
        Received.Copy copy = pair.atSecond.next();
        assertThat(copy.header()).startsWith("CREDIT[channel=4294967292, flags=3, aux=5, control=2 B");
        assertThat(copy.body()).isEqualTo("by reference");
        OnLoop.run(pair.secondLoop, () -> assertThat(body.refCnt()).isZero());
        for (int i = 0; i < 2_000; i++) {
            send(pair.secondLoop, pair.second, text("number " + i));
            assertThat(pair.atFirst.next().body()).isEqualTo("number " + i);
        }
        OnLoop.run(pair.firstLoop, pair.first::close);
        assertThat(OnLoop.await(pair.atSecond.lost))
                .isInstanceOf(SessionLost.class)
                .hasMessageContaining("node-")
                .hasMessageContaining("the other side closed it");
        assertThat(pair.atFirst.lost).isNotDone();
        ByteBuf late = text("late");
        assertThat(OnLoop.get(pair.secondLoop, () -> pair.second.offer(data(late))))
                .isFalse();
        assertThat(OnLoop.get(pair.firstLoop, () -> pair.first.offer(data(late))))
                .isFalse();
        assertThat(late.release()).isTrue();
    }

    @Test
    void passesOnWhatItGotByReference() {
        Pair pair = new Pair(loop(Waiting.BALANCED), loop(Waiting.BALANCED));
        CompletableFuture<ByteBuf> arrived = new CompletableFuture<>();
        OnLoop.run(
                pair.secondLoop,
                () -> pair.second.handler(new LinkHandler() {
                    @Override
                    public void frame(Frame frame) {
                        arrived.complete(frame.body());
                    }

                    @Override
                    public void writable() {}

                    @Override
                    public void lost(WeirException reason) {}
                }));
        ByteBuf body = text("the same buffer");
        send(pair.firstLoop, pair.first, body);
        assertThat(OnLoop.await(arrived)).isSameAs(body);
        assertThat(body.release()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 3_000_000})
    void saysNoWhenItsQueueOrItsBytesAreUsedUpAndCallsWhenThereIsRoom(int size) throws Exception {
        Pair pair = new Pair(loop(Waiting.FRUGAL), loop(Waiting.FRUGAL));
        int taken = 0;
        while (true) {
            ByteBuf body = Unpooled.buffer().writeZero(size);
            if (!OnLoop.get(pair.firstLoop, () -> pair.first.offer(data(body)))) {
                assertThat(body.release()).isTrue();
                break;
            }
            taken++;
        }
        assertThat(taken).isEqualTo(size == 10 ? 16 : 2);
        OnLoop.run(pair.firstLoop, () -> pair.first.handler(pair.atFirst));
        assertThat(pair.atFirst.writables).hasValue(0);
        OnLoop.run(pair.secondLoop, () -> pair.second.handler(pair.atSecond));
        for (int i = 0; i < taken; i++) {
            assertThat(pair.atSecond.next().body()).hasSize(size);
        }
        while (pair.atFirst.writables.get() == 0) {
            OnLoop.run(pair.firstLoop, () -> {});
        }
        send(pair.firstLoop, pair.first, text("room"));
        assertThat(pair.atSecond.next().body()).isEqualTo("room");
        assertThat(pair.atFirst.writables).hasValue(1);
    }

    /** Half of the frames being gone is not half of the bytes: the one who waits must not be forgotten. */
    @Test
    void doesNotForgetWhoWaitsForBytes() throws Exception {
        settings = new TransportSettings(Path.of("/nowhere"), true, Map.of("queue", "256"));
        Pair pair = new Pair(loop(Waiting.FRUGAL), loop(Waiting.FRUGAL));
        OnLoop.run(pair.firstLoop, () -> pair.first.handler(pair.atFirst));
        for (int i = 0; i < 70; i++) {
            send(pair.firstLoop, pair.first, text("short"));
        }
        send(pair.firstLoop, pair.first, Unpooled.buffer().writeZero(5_000_000));
        ByteBuf refused = text("refused");
        assertThat(OnLoop.get(pair.firstLoop, () -> pair.first.offer(data(refused))))
                .isFalse();
        CountDownLatch most = new CountDownLatch(64);
        CountDownLatch goOn = new CountDownLatch(1);
        Received slow = new Received(pair.secondLoop) {
            @Override
            public void frame(Frame frame) {
                super.frame(frame);
                most.countDown();
                if (most.getCount() == 0) {
                    // Before the loop polls again and comes to the long one.
                    pair.secondLoop.execute(() -> OnLoop.await(goOn));
                }
            }
        };
        OnLoop.run(pair.firstLoop, () -> pair.secondLoop.execute(() -> pair.second.handler(slow)));
        OnLoop.await(most);
        for (int i = 0; i < 5; i++) {
            OnLoop.run(pair.firstLoop, () -> {});
        }
        assertThat(pair.atFirst.writables).hasValue(0);
        goOn.countDown();
        while (pair.atFirst.writables.get() == 0) {
            OnLoop.run(pair.firstLoop, () -> {});
        }
        send(pair.firstLoop, pair.first, refused);
    }

    @Test
    void refusesWhatItCannotTake() throws Exception {
        Pair pair = new Pair(loop(Waiting.FRUGAL), loop(Waiting.FRUGAL)).receiving();
        DefaultFileRegion region = new DefaultFileRegion(new File("/dev/null"), 0, 1);
        assertThat(OnLoop.get(pair.firstLoop, pair.first::takesRegions)).isFalse();
        assertThatThrownBy(() -> OnLoop.get(
                        pair.firstLoop,
                        () -> pair.first.offer(
                                new Frame().set(FrameKind.DATA, 0, 1, 0).region(region))))
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(region.release()).isTrue();
        assertThatThrownBy(() -> OnLoop.get(
                        pair.firstLoop,
                        () -> pair.first.offer(
                                new Frame().set(FrameKind.DATA, 0, 1, 0).control(new byte[0x10000]))))
                .hasCauseInstanceOf(IllegalArgumentException.class);
        send(pair.firstLoop, pair.first, text("goes on"));
        assertThat(pair.atSecond.next().body()).isEqualTo("goes on");
    }

    @Test
    void everyBufferIsReleasedHoweverItEnds() {
        for (int ending = 0; ending < 4; ending++) {
            Pair pair = new Pair(loop(Waiting.BALANCED), loop(Waiting.FRUGAL));
            List<ByteBuf> bodies = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                bodies.add(text("there " + i));
                send(pair.firstLoop, pair.first, bodies.get(i * 2));
                bodies.add(text("back " + i));
                send(pair.secondLoop, pair.second, bodies.get(i * 2 + 1));
            }
            switch (ending) {
                case 0 -> {
                    OnLoop.run(pair.firstLoop, pair.first::close);
                    OnLoop.run(pair.secondLoop, pair.second::close);
                }
                case 1 -> {
                    OnLoop.run(pair.firstLoop, pair.first::close);
                    OnLoop.run(pair.secondLoop, () -> pair.second.handler(pair.atSecond));
                    assertThat(OnLoop.await(pair.atSecond.lost)).isNotNull();
                    assertThat(pair.atSecond.frames).hasSize(10);
                }
                case 2 -> {
                    pair.firstLoop.close().block(PATIENCE);
                    ByteBuf late = text("nobody will take this out");
                    bodies.add(late);
                    OnLoop.run(pair.secondLoop, () -> {
                        if (!pair.second.offer(data(late))) {
                            late.release();
                        }
                    });
                    pair.secondLoop.close().block(PATIENCE);
                }
                default -> {
                    OnLoop.run(pair.firstLoop, () -> pair.first.handler(pair.atFirst));
                    OnLoop.run(pair.secondLoop, pair.second::close);
                    assertThat(OnLoop.await(pair.atFirst.lost)).isNotNull();
                }
            }
            for (ByteBuf body : bodies) {
                while (body.refCnt() > 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Test
    void aHandlerThatThrowsLosesTheLinkOnBothSides() {
        Pair pair = new Pair(loop(Waiting.BALANCED), loop(Waiting.BALANCED)).receiving();
        Received thrower = new Received(pair.secondLoop) {
            @Override
            public void frame(Frame frame) {
                frame.release();
                throw new IllegalStateException("thrown by the handler");
            }
        };
        OnLoop.run(pair.secondLoop, () -> pair.second.handler(thrower));
        send(pair.firstLoop, pair.first, text("x"));
        assertThat(OnLoop.await(thrower.lost))
                .isInstanceOf(SessionLost.class)
                .hasMessageContaining("thrown by the handler");
        assertThat(OnLoop.await(pair.atFirst.lost)).hasMessageContaining("the other side closed it");
    }

    @Test
    void isLostWithTheLoopOfEitherSide() {
        Pair pair = new Pair(loop(Waiting.BALANCED), loop(Waiting.FRUGAL)).receiving();
        pair.firstLoop.close().block(PATIENCE);
        assertThat(pair.atFirst.lost)
                .isCompletedWithValueMatching(reason -> reason.getMessage().contains("with the loop that it was on"));
        assertThat(OnLoop.await(pair.atSecond.lost)).hasMessageContaining("the other side closed it");
    }

    @Test
    void closesFromWithinAFrameAndDeliversNothingMore() {
        Pair pair = new Pair(loop(Waiting.BALANCED), loop(Waiting.BALANCED));
        Received closing = new Received(pair.secondLoop) {
            @Override
            public void frame(Frame frame) {
                super.frame(frame);
                pair.second.close();
            }
        };
        for (int i = 0; i < 5; i++) {
            send(pair.firstLoop, pair.first, text("frame " + i));
        }
        OnLoop.run(pair.firstLoop, () -> pair.first.handler(pair.atFirst));
        OnLoop.run(pair.secondLoop, () -> pair.second.handler(closing));
        assertThat(OnLoop.await(pair.atFirst.lost)).isNotNull();
        assertThat(closing.frames).hasSize(1);
        assertThat(closing.lost).isNotDone();
    }

    @Test
    void halvesThatDoNotComeTogetherLeaveNothing() {
        NettyLoop loop = loop(Waiting.BALANCED);
        PendingLink one = half(loop, true);
        assertThat(one.offer()).isEqualTo(one.offer()).hasSize(16);
        for (byte[] theirs : new byte[][] {{}, new byte[4096]}) {
            PendingLink half = half(loop, false);
            assertThatThrownBy(() -> OnLoop.await(complete(loop, half, theirs)))
                    .hasCauseInstanceOf(ProtocolMismatch.class);
        }
        PendingLink lonely = half(loop, false);
        assertThatThrownBy(() -> OnLoop.await(complete(loop, lonely, new byte[16])))
                .hasCauseInstanceOf(PeerUnavailable.class);

        PendingLink givenUp = half(loop, false);
        byte[] theirs = givenUp.offer();
        OnLoop.run(loop, givenUp::close);
        OnLoop.run(loop, givenUp::close);
        assertThatThrownBy(() -> OnLoop.await(complete(loop, one, theirs))).hasCauseInstanceOf(PeerUnavailable.class);

        PendingLink joined = half(loop, true);
        PendingLink other = half(loop, false);
        Link link = OnLoop.await(complete(loop, joined, other.offer()));
        Received received = new Received(loop);
        OnLoop.run(loop, () -> link.handler(received));
        ByteBuf body = text("for nobody");
        send(loop, link, body);
        OnLoop.run(loop, other::close);
        assertThat(OnLoop.await(received.lost)).hasMessageContaining("the other side closed it");
        OnLoop.run(loop, () -> assertThat(body.refCnt()).isZero());
        assertThat(half(loop, true)).as("ends with its loop").isNotNull();
    }

    @Test
    void refusesAQueueThatIsNoPowerOfTwo() {
        settings = new TransportSettings(Path.of("/nowhere"), true, Map.of("queue", "1000"));
        assertThat(transport.options()).containsExactly("queue");
        assertThatThrownBy(() -> transport.availability(settings))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("queue=1000 is not a power of two: write 512 or 1024");
    }
}
