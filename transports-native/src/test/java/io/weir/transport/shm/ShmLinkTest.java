package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.Lendable;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.nativelib.LeasedBuf;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
@ExtendWith(NothingLeft.class)
class ShmLinkTest {

    private static final Map<String, String> SMALL = Map.of("ring-size", "64k", "pool-size", "64k");

    @TempDir
    Path folder;

    private final Frame frame = new Frame();

    private static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Offers on the end's loop; the body goes to the link, or is released if it says no. */
    private boolean offer(ShmPair.End end, int number, ByteBuf body) {
        return OnLoop.get(end.loop(), () -> end.offer(number, body));
    }

    @Test
    void whoHasBorrowedTheLoopGetsWhatIsForItsChannels() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.FRUGAL, Map.of())) {
            ShmLink link = pair.right.link();
            OnLoop.borrow(pair.right.loop());
            link.awake();
            for (int number : new int[] {3, 5, 4, 3}) {
                assertThat(offer(pair.left, number, Unpooled.wrappedBuffer(random(40, number))))
                        .isTrue();
            }
            OnLoop.until(() -> link.pollLent(number -> number % 2 == 1) == Lendable.RECALL);
            pair.right.expect(3);
            pair.right.expect(5);
            pair.right.frames().expectNothing();
            assertThat(link.asleep()).isFalse();
            pair.right.loop().giveBack(true);
            pair.right.expect(4);
            pair.right.expect(3);
        }
    }

    @Test
    void whatEndsTheLinkIsLeftToTheLoopsThread() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.FRUGAL, Map.of())) {
            ShmLink link = pair.right.link();
            pair.right.frames().onFrame = frame -> {
                frame.release();
                throw new IllegalStateException("expected");
            };
            OnLoop.borrow(pair.right.loop());
            link.awake();
            for (int i = 0; i < 3; i++) {
                assertThat(offer(pair.left, 3, Unpooled.wrappedBuffer(random(40, i))))
                        .isTrue();
            }
            OnLoop.until(() -> fails(link));
            assertThat(link.pollLent(number -> true)).isEqualTo(Lendable.RECALL);
            pair.right.frames().onFrame = null;
            pair.right.frames().expectNothing();
            assertThat(link.asleep()).isFalse();
            pair.right.loop().giveBack(true);
            assertThat(pair.right.frames().nextLost(SessionLost.class)).hasMessageContaining("expected");
            pair.right.frames().expectNothing();
        }
    }

    private static boolean fails(ShmLink link) {
        try {
            return link.pollLent(number -> true) == Lendable.RECALL;
        } catch (IllegalStateException e) {
            link.failed(e);
            return true;
        }
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    void carriesFramesOfEverySizeBothWays(Waiting waiting) {
        try (ShmPair pair = ShmPair.open(folder, waiting, Map.of())) {
            assertThat(pair.left.link().transport()).isEqualTo("shm");
            int longest = pair.left.link().maxFrame();
            assertThat(longest).isGreaterThan(100_000);
            int[] sizes = {0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 96, 97, 1024, 2047, 2048, 2049, 16_384, 65_536, longest};
            for (ShmPair.End[] way : new ShmPair.End[][] {{pair.left, pair.right}, {pair.right, pair.left}}) {
                for (int size : sizes) {
                    byte[] content = random(size, size);
                    assertThat(offer(way[0], size, Unpooled.wrappedBuffer(content)))
                            .isTrue();
                    Frames.Got got = way[1].frames().nextFrame();
                    assertThat(got.channel()).isEqualTo(size);
                    assertThat(got.body()).isEqualTo(Unpooled.wrappedBuffer(content));
                    got.body().release();
                }
            }
        }
    }

    /** The peer's word that it sleeps may come just after the first look, which is not behind a fence. */
    @Test
    void looksOnceMoreForAPeerThatFallsAsleep() throws Exception {
        try (ShmPair pair = ShmPair.open(folder, Waiting.LATENCY, Map.of())) {
            ShmPort port = pair.left.link().port();
            CountDownLatch asleep = new CountDownLatch(1);
            pair.left.run(() -> {
                assertThat(pair.left.link().offer(frame.set(FrameKind.DATA, 0, 1, 0)))
                        .isTrue();
                // Behind the link's own hook, which has published and looked.
                pair.left.loop().atTurnEnd(() -> {
                    setAsleep(port, true);
                    asleep.countDown();
                });
            });
            OnLoop.await(asleep);
            long end = System.nanoTime() + 20_000_000_000L;
            while (isAsleep(port) && System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
            assertThat(isAsleep(port)).as("not woken").isFalse();
            pair.right.expect(1);
        }
    }

    private static void setAsleep(ShmPort port, boolean asleep) {
        Flag.set(port.outgoing().mapping().memory(), SegmentLayout.RECEIVER_SLEEPS, asleep);
    }

    private static boolean isAsleep(ShmPort port) {
        ByteBuffer memory = port.outgoing().mapping().memory();
        return (long) SegmentLayout.LONGS.getAcquire(memory, SegmentLayout.RECEIVER_SLEEPS) != 0;
    }

    @Test
    void carriesEverythingThatAFrameHas() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            byte[] control = random(70, 1);
            for (int bodyLength : new int[] {0, 100, 5_000}) {
                byte[] body = random(bodyLength, 2);
                pair.left.run(() -> assertThat(pair.left
                                .link()
                                .offer(frame.set(FrameKind.CREDIT, 0x0f, -5, 1 << 31)
                                        .words(Long.MIN_VALUE, Long.MAX_VALUE)
                                        .control(control)
                                        .body(Unpooled.copiedBuffer(body))))
                        .isTrue());
                Frames.Got got = pair.right.frames().nextFrame();
                assertThat(got.kind()).isEqualTo(FrameKind.CREDIT);
                assertThat(got.flags()).isEqualTo(0x0f);
                assertThat(got.channel()).isEqualTo(-5);
                assertThat(got.aux()).isEqualTo(1 << 31);
                assertThat(got.first()).isEqualTo(Long.MIN_VALUE);
                assertThat(got.second()).isEqualTo(Long.MAX_VALUE);
                assertThat(got.control()).isEqualTo(Unpooled.wrappedBuffer(control));
                assertThat(got.body()).isEqualTo(Unpooled.wrappedBuffer(body));
                got.body().release();
            }
        }
    }

    @Test
    void aMegabyteInABlockIsNotCopied() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            ByteBuf block = ShmPair.block(pair.left.link(), 1 << 20).writeBytes(random(1 << 20, 3));
            assertThat(pair.left.link().takesInPlace(block)).isTrue();
            assertThat(pair.right.link().takesInPlace(block)).isFalse();
            assertThat(offer(pair.left, 1, block.retain())).isTrue();
            ByteBuf got = pair.right.frames().nextFrame().body();
            assertThat(got).isEqualTo(block);
            block.setLong(8, 123);
            assertThat(got.getLong(8)).as("the same memory").isEqualTo(123);
            assertThat(pair.left.link().takesInPlace(got)).isFalse();
            assertThat(block.refCnt()).isEqualTo(2);
            got.release();
            // The next frame makes the sender look.
            assertThat(offer(pair.right, 2, Unpooled.EMPTY_BUFFER)).isTrue();
            pair.left.expect(2);
            assertThat(OnLoop.get(pair.left.loop(), block::refCnt)).isOne();
            block.release();
        }
    }

    @Test
    void aReceivedBlockCanBeSentOn() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            byte[] content = random(100_000, 4);
            ByteBuf block = pair.left.link().allocator().buffer(100_000).writeBytes(content);
            assertThat(offer(pair.left, 1, block)).isTrue();
            assertThat(offer(pair.right, 2, pair.right.frames().nextFrame().body()))
                    .isTrue();
            ByteBuf back = pair.left.frames().nextFrame().body();
            assertThat(back).isEqualTo(Unpooled.wrappedBuffer(content));
            back.release();
        }
    }

    @Test
    void framesThatCameBeforeTheHandlerWaitForIt() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.FRUGAL, SMALL, ShmPair.WITHOUT_HANDLERS)) {
            int sent = 0;
            while (offer(pair.left, sent, Unpooled.buffer(100).writeZero(100))) {
                sent++;
            }
            assertThat(sent).isGreaterThan(100);
            pair.right.frames().expectNothing();
            pair.right.run(() -> pair.right.link().handler(pair.right.frames()));
            for (int i = 0; i < sent; i++) {
                pair.right.expect(i);
            }
        }
    }

    @Test
    void afterNoRoomComesWritableWhenThereIsRoom() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.FRUGAL, SMALL, ShmPair.WITHOUT_HANDLERS)) {
            pair.left.run(() -> pair.left.link().handler(pair.left.frames()));
            int sent = 0;
            while (offer(pair.left, sent, Unpooled.buffer(1_000).writeZero(1_000))) {
                sent++;
            }
            pair.left.frames().expectNothing();
            pair.right.run(() -> pair.right.link().handler(pair.right.frames()));
            pair.left.frames().expectWritable();
            assertThat(offer(pair.left, sent, Unpooled.EMPTY_BUFFER)).isTrue();
            for (int i = 0; i <= sent; i++) {
                pair.right.expect(i);
            }
            pair.left.frames().expectNothing();
        }
    }

    @Test
    void aSenderThatWaitsForASlotIsWokenByARelease() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.FRUGAL, Map.of("pool-size", "64k"))) {
            ByteBuf block = pair.left.link().allocator().buffer(64 << 10).writeZero(64 << 10);
            int max = pair.left.link().maxFrame();
            assertThat(max).isGreaterThan(64 << 10);
            int slots = 8;
            List<ByteBuf> held = new ArrayList<>();
            for (int i = 0; i < slots; i++) {
                assertThat(offer(pair.left, i, block.retainedSlice(0, 4_000))).isTrue();
                held.add(pair.right.frames().nextFrame().body());
            }
            // With its control data this is too long to be copied instead.
            byte[] control = new byte[max - (64 << 10) + 1];
            assertThat(control.length).isLessThanOrEqualTo(FrameLayout.MAX_CONTROL);
            boolean taken = OnLoop.get(
                    pair.left.loop(),
                    () -> pair.left
                            .link()
                            .offer(frame.set(FrameKind.DATA, 0, 9, 0)
                                    .control(control)
                                    .body(block)));
            assertThat(taken).isFalse();
            held.remove(3).release();
            pair.left.frames().expectWritable();
            assertThat(offer(pair.left, 10, block)).isTrue();
            held.add(pair.right.frames().nextFrame().body());
            held.forEach(ByteBuf::release);
        }
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    void bothFloodEachOtherThroughSmallRings(Waiting waiting) {
        int messages = 10_000;
        try (ShmPair pair = ShmPair.open(folder, waiting, SMALL)) {
            Flood left = new Flood(pair.left, messages);
            Flood right = new Flood(pair.right, messages);
            pair.left.run(left::send);
            pair.right.run(right::send);
            OnLoop.await(left.done);
            OnLoop.await(right.done);
        }
    }

    /** Sends this many frames, and is done when as many have come, in order and whole. */
    private static final class Flood {

        final CompletableFuture<Void> done = new CompletableFuture<>();
        private final ShmPair.End end;
        private final int messages;
        private final Frame frame = new Frame();
        private int sent;
        private int received;

        Flood(ShmPair.End end, int messages) {
            this.end = end;
            this.messages = messages;
            end.frames().onWritable = this::send;
            end.frames().onFrame = this::receive;
        }

        private static int lengthOf(int number) {
            Random random = new Random(number);
            return random.nextInt(random.nextInt(10) == 0 ? 6_000 : 200);
        }

        void send() {
            for (; sent < messages; sent++) {
                int length = lengthOf(sent);
                ByteBuf body = end.link().allocator().buffer(length).writeZero(length);
                if (!end.link().offer(frame.set(FrameKind.DATA, 0, sent, length).body(body))) {
                    body.release();
                    return;
                }
            }
        }

        private void receive(Frame got) {
            int length = lengthOf(received);
            if (got.channel() != received || got.aux() != length || got.bodyLength() != length) {
                done.completeExceptionally(new AssertionError("expected " + received + ", got " + got));
            }
            got.release();
            if (++received == messages) {
                done.complete(null);
            }
        }
    }

    /**
     * Both fall asleep after every frame, so that each of them needs a wake-up; a lost one would end in the time-out.
     */
    @ParameterizedTest
    @EnumSource(
            value = Waiting.class,
            names = {"FRUGAL", "BALANCED"})
    void noWakeUpIsLostInPingPong(Waiting waiting) {
        int rounds = 20_000;
        try (ShmPair pair = ShmPair.open(folder, waiting, Map.of())) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            Frame there = new Frame();
            Frame back = new Frame();
            pair.right.frames().onFrame = got -> {
                if (!pair.right.link().offer(there.set(FrameKind.DATA, 0, got.channel(), 0))) {
                    done.completeExceptionally(new AssertionError("full"));
                }
            };
            pair.left.frames().onFrame = got -> {
                if (got.channel() == rounds) {
                    done.complete(null);
                } else if (!pair.left.link().offer(back.set(FrameKind.DATA, 0, got.channel() + 1, 0))) {
                    done.completeExceptionally(new AssertionError("full"));
                }
            };
            assertThat(offer(pair.left, 1, Unpooled.EMPTY_BUFFER)).isTrue();
            OnLoop.await(done);
        }
    }

    @Test
    void closingDeliversWhatWasOfferedAndTellsThePeer() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            pair.left.run(() -> {
                for (int i = 0; i < 1_000; i++) {
                    assertThat(pair.left.link().offer(frame.set(FrameKind.DATA, 0, i, 0)))
                            .isTrue();
                }
                pair.left.link().close();
                pair.left.link().close();
                assertThat(pair.left.link().offer(frame.set(FrameKind.DATA, 0, 1, 0)))
                        .isFalse();
            });
            for (int i = 0; i < 1_000; i++) {
                pair.right.expect(i);
            }
            assertThat(pair.right.frames().nextLost(SessionLost.class))
                    .hasMessageContaining("left-")
                    .hasMessageContaining("has closed");
            pair.right.run(() -> assertThat(pair.right.link().offer(frame.set(FrameKind.DATA, 0, 1, 0)))
                    .isFalse());
            pair.left.frames().expectNothing();
            pair.right.frames().expectNothing();
        }
    }

    @Test
    void bothMayCloseAtOnce() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            pair.left.loop().execute(() -> pair.left.link().close());
            pair.right.run(() -> pair.right.link().close());
        }
    }

    @Test
    void aHandlerMayCloseTheLinkWithinAFrame() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            CompletableFuture<Integer> seen = new CompletableFuture<>();
            pair.right.frames().onFrame = got -> {
                got.release();
                pair.right.link().close();
                seen.complete(got.channel());
            };
            pair.left.run(() -> {
                for (int i = 0; i < 10; i++) {
                    assertThat(pair.left.link().offer(frame.set(FrameKind.DATA, 0, i, 0)))
                            .isTrue();
                }
            });
            assertThat(OnLoop.await(seen)).isZero();
            assertThat(pair.left.frames().nextLost(SessionLost.class))
                    .hasMessageContaining("right-")
                    .hasMessageContaining("has closed");
        }
    }

    @Test
    void theEndOfALoopClosesItsLinks() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            pair.right.loop().close().block(ShmPair.LONG);
            assertThat(pair.left.frames().nextLost(SessionLost.class)).hasMessageContaining("has closed");
            pair.right.frames().expectNothing();
        }
    }

    @Test
    void anEndBeforeTheHandlerIsToldToTheHandler() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.FRUGAL, Map.of(), ShmPair.WITHOUT_HANDLERS)) {
            assertThat(offer(pair.left, 1, Unpooled.copyInt(5))).isTrue();
            pair.left.run(() -> pair.left.link().close());
            pair.right.run(() -> {});
            pair.right.run(() -> pair.right.link().handler(pair.right.frames()));
            pair.right.expect(1);
            assertThat(pair.right.frames().nextLost(SessionLost.class)).hasMessageContaining("has closed");
        }
    }

    @Test
    void whatAHandlerThrowsEndsTheLink() {
        for (RuntimeException thrown :
                new RuntimeException[] {new IllegalStateException("mine"), new Overloaded("full")}) {
            try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
                pair.right.frames().onFrame = got -> {
                    throw thrown;
                };
                assertThat(offer(pair.left, 1, Unpooled.EMPTY_BUFFER)).isTrue();
                WeirException lost = pair.right.frames().nextLost(WeirException.class);
                if (thrown instanceof WeirException) {
                    assertThat(lost).isSameAs(thrown);
                } else {
                    assertThat(lost)
                            .isInstanceOf(SessionLost.class)
                            .hasCause(thrown)
                            .hasMessageContaining("left");
                }
                assertThat(pair.left.frames().nextLost(SessionLost.class)).hasMessageContaining("without a goodbye");
            }
        }
    }

    @Test
    void blocksOutliveTheirLinkOnBothSides() {
        ByteBuf mine;
        ByteBuf got;
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            mine = pair.left.link().allocator().buffer(50_000).writeBytes(random(50_000, 8));
            assertThat(offer(pair.left, 1, mine.retain())).isTrue();
            got = pair.right.frames().nextFrame().body();
            pair.left.run(() -> pair.left.link().close());
            assertThat(pair.right.frames().nextLost(SessionLost.class)).hasMessageContaining("has closed");
            assertThat(mine.refCnt()).isOne();
            assertThat(got).isEqualTo(mine);
            ByteBuf later = pair.left.link().allocator().buffer(50_000).writeZero(50_000);
            assertThat(pair.left.link().takesInPlace(later)).isFalse();
            later.release();
        }
        assertThat(got).isEqualTo(mine);
        mine.release();
        got.release();
    }

    @Test
    void copyInAndOtherSizesMayDifferBetweenTheSides() {
        Map<String, String> left = Map.of("ring-size", "2m", "pool-size", "1m", "copy-in", "on");
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, left, SMALL)) {
            assertThat(pair.left.link().maxFrame()).isEqualTo(RecordLayout.maxFrame(2 << 20));
            assertThat(pair.right.link().maxFrame()).isEqualTo(RecordLayout.maxFrame(64 << 10));
            byte[] content = random(30_000, 5);
            assertThat(offer(
                            pair.right,
                            1,
                            pair.right.link().allocator().buffer(30_000).writeBytes(content)))
                    .isTrue();
            ByteBuf got = pair.left.frames().nextFrame().body();
            assertThat(got).isEqualTo(Unpooled.wrappedBuffer(content));
            assertThat(got).isNotInstanceOf(LeasedBuf.class);
            got.release();
        }
    }

    static Stream<Arguments> misdeeds() {
        return Stream.of(
                misdeed("a frame that can't be", (port, memory) -> {
                    int ring = port.outgoing().layout().ring();
                    SegmentLayout.LONGS.setRelease(memory, ring, FrameLayout.word0(99, 0, 0, 0));
                }),
                misdeed("a block that can't be given back", (port, memory) -> {
                    ByteBuffer theirs = port.incoming().mapping().memory();
                    SegmentLayout.INTS.setRelease(theirs, SegmentLayout.RETURNS, 4_711);
                }),
                misdeed("a position that can't be", (port, memory) -> {
                    ByteBuffer theirs = port.incoming().mapping().memory();
                    SegmentLayout.LONGS.setRelease(theirs, SegmentLayout.READ_POSITION, 1L << 50);
                }));
    }

    private static Arguments misdeed(String name, BiConsumer<ShmPort, ByteBuffer> deed) {
        return Arguments.of(name, deed);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("misdeeds")
    void aPeerThatBreaksTheRulesEndsTheLinkOnly(String name, BiConsumer<ShmPort, ByteBuffer> misdeed) {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, SMALL)) {
            ByteBuf block = pair.right.link().allocator().buffer(9_000).writeZero(9_000);
            assertThat(offer(pair.right, 1, block.retain())).isTrue();
            ByteBuf held = pair.left.frames().nextFrame().body();
            // The peer reads no more, so that it does not mend by itself what is wrong.
            CountDownLatch caught = new CountDownLatch(1);
            CountDownLatch stopped = new CountDownLatch(1);
            pair.left.loop().execute(() -> {
                stopped.countDown();
                OnLoop.await(caught);
            });
            OnLoop.await(stopped);
            ShmPort port = pair.left.link().port();
            misdeed.accept(port, port.outgoing().mapping().memory());
            // Makes the victim look at everything.
            pair.right.frames().onFrame = Frame::release;
            for (int i = 0;
                    i < 100 && offer(pair.right, i, Unpooled.buffer(2_000).writeZero(2_000));
                    i++) {
                assertThat(i).as(name).isLessThan(99);
            }
            pair.right.frames().skipUntilLost();
            ProtocolMismatch lost = pair.right.frames().nextLost(ProtocolMismatch.class);
            assertThat(lost).hasMessageContaining("the ");
            caught.countDown();
            assertThat(OnLoop.get(pair.right.loop(), block::refCnt)).isOne();
            pair.left.frames().skipUntilLost();
            assertThat(pair.left.frames().nextLost(SessionLost.class)).hasMessageContaining("right");
            held.release();
            block.release();
            pair.right.frames().expectNothing();
        }
    }

    @Test
    void whatCanNeverBeTakenIsAnErrorOfTheCaller() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, SMALL)) {
            ByteBuf tooLong = Unpooled.buffer().writeZero(pair.left.link().maxFrame() + 1);
            assertThatThrownBy(() -> OnLoop.get(
                            pair.left.loop(),
                            () -> pair.left
                                    .link()
                                    .offer(frame.set(FrameKind.DATA, 0, 1, 0).body(tooLong))))
                    .hasRootCauseInstanceOf(IllegalArgumentException.class);
            assertThat(tooLong.refCnt()).isOne();
            tooLong.release();
            assertThat(offer(pair.left, 2, Unpooled.EMPTY_BUFFER)).isTrue();
            pair.right.expect(2);
        }
    }
}
