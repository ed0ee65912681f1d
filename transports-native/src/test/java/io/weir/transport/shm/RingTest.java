package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import io.netty.util.ResourceLeakDetector;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import java.io.File;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@ExtendWith(NothingLeft.class)
class RingTest {

    private static final long UNTOUCHED = 0x5eed_5eed_5eed_5eedL;

    private static final FrameKind[] KINDS = FrameKind.values();

    private final Frame frame = new Frame();

    /** A frame that a seed describes, so that both sides of a test can make it. */
    private record Sample(
            FrameKind kind, int flags, int channel, int aux, long first, long second, ByteBuf control, ByteBuf body) {

        static Sample of(Random random, int longest) {
            FrameKind kind = KINDS[random.nextInt(KINDS.length)];
            byte[] control = new byte[random.nextInt(4) == 0 ? random.nextInt(200) : 0];
            byte[] body = new byte[random.nextInt(1 + random.nextInt(longest - control.length))];
            random.nextBytes(control);
            random.nextBytes(body);
            return new Sample(
                    kind,
                    random.nextInt(16),
                    random.nextInt(),
                    random.nextInt(),
                    random.nextLong(),
                    random.nextLong(),
                    Unpooled.wrappedBuffer(control),
                    Unpooled.wrappedBuffer(body));
        }

        /** The body belongs to the frame. */
        Frame fill(Frame frame, Random random) {
            ByteBuf copy = switch (random.nextInt(3)) {
                case 0 -> Unpooled.copiedBuffer(body);
                case 1 ->
                    PooledByteBufAllocator.DEFAULT
                            .directBuffer(body.readableBytes() + 1)
                            .writeBytes(body, 0, body.readableBytes());
                default -> body.retainedDuplicate();
            };
            return frame.set(kind, flags, channel, aux)
                    .words(first, second)
                    .control(control.array())
                    .body(copy);
        }

        void check(Frame got) {
            assertThat(got.kind()).isEqualTo(kind);
            assertThat(got.flags()).isEqualTo(flags);
            assertThat(got.channel()).isEqualTo(channel);
            assertThat(got.aux()).isEqualTo(aux);
            assertThat(got.first()).isEqualTo(kind.words() > 0 ? first : 0);
            assertThat(got.second()).isEqualTo(kind.words() > 1 ? second : 0);
            assertThat(got.control()).containsExactly(control.array());
            assertThat(got.body()).isEqualTo(body);
            got.body().release();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whatGoesInComesOutWholeInOrderAndOnce(long seed) {
        Random random = new Random(seed);
        try (TestRing ring = new TestRing(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL)) {
            Deque<Sample> under = new ArrayDeque<>();
            int longest = RecordLayout.maxFrame(SegmentLayout.MIN_RING);
            int refused = 0;
            for (int step = 0; step < 4_000; step++) {
                if (random.nextBoolean()) {
                    int burst = random.nextInt(20);
                    for (int i = 0; i < burst; i++) {
                        Sample sample = Sample.of(random, random.nextInt(5) == 0 ? longest : 300);
                        Frame offered = sample.fill(frame, random);
                        if (ring.frames.write(offered)) {
                            under.add(sample);
                        } else {
                            offered.release();
                            refused++;
                        }
                    }
                    ring.publish();
                } else {
                    int burst = random.nextInt(20);
                    for (int i = 0; i < burst; i++) {
                        RingReader.Found found = ring.reader.read();
                        if (found == RingReader.Found.NOTHING) {
                            assertThat(under).isEmpty();
                            break;
                        }
                        if (found == RingReader.Found.FRAME) {
                            under.remove().check(ring.reader.frame());
                        }
                    }
                    ring.reader.tell();
                    int back = ring.takeBack();
                    assertThat(back).isBetween(0, burst);
                }
            }
            drain(ring, under);
            assertThat(refused).as("how often the ring was full").isPositive();
            assertThat(ring.smallOutstanding()).isZero();
            assertThat(ring.takeBack()).isNotNegative();
            assertThat(ring.pool.inFlight()).isZero();
            assertThat(ring.pool.freeUnits()).isEqualTo(ring.layout.units());
        }
    }

    private static void drain(TestRing ring, Deque<Sample> under) {
        ring.publish();
        for (RingReader.Found found; (found = ring.reader.read()) != RingReader.Found.NOTHING; ) {
            if (found == RingReader.Found.FRAME) {
                under.remove().check(ring.reader.frame());
            }
        }
        assertThat(under).isEmpty();
    }

    @Test
    void theFirstOfATurnIsSeenAtOnceAndTheOthersWhenTheyArePublished() {
        try (TestRing ring = new TestRing(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL)) {
            for (int turn = 0; turn < 3; turn++) {
                assertThat(ring.reader.hasNext()).isFalse();
                end(ring, 1);
                assertThat(ring.reader.hasNext()).isTrue();
                assertThat(ring.reader.read()).isEqualTo(RingReader.Found.FRAME);
                assertThat(ring.reader.frame().channel()).isEqualTo(1);
                // As behind a poll: that is not the end of the turn.
                ring.writer.publish();
                end(ring, 2);
                end(ring, 3);
                assertThat(ring.next()).isEqualTo(RingReader.Found.NOTHING);
                ring.publish();
                assertThat(ring.reader.hasNext()).isTrue();
                assertThat(ring.reader.read()).isEqualTo(RingReader.Found.FRAME);
                assertThat(ring.reader.frame().channel()).isEqualTo(2);
                assertThat(ring.reader.read()).isEqualTo(RingReader.Found.FRAME);
                assertThat(ring.reader.frame().channel()).isEqualTo(3);
                assertThat(ring.next()).isEqualTo(RingReader.Found.NOTHING);
            }
        }
    }

    /** Behind the ring lies the pool. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void aRunEndsWhereTheRingDoes(int left) {
        try (TestRing ring = new TestRing(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL)) {
            int behind = ring.layout.ring() + ring.layout.ringSize();
            mark(ring, behind, behind + 4_096);
            int lines = ring.layout.ringSize() / RecordLayout.LINE - left;
            for (int i = 0; i < lines; i++) {
                end(ring, 0);
                ring.publish();
                assertThat(ring.next()).isEqualTo(RingReader.Found.FRAME);
            }
            ring.reader.tell();
            assertThat(ring.writer.position()).isEqualTo((long) lines * RecordLayout.LINE);
            // Of lengths that do not all fit in front of the end.
            for (int channel = 1; channel < 60; channel++) {
                byte[] control = new byte[8 * (channel % 4)];
                assertThat(ring.frames.write(
                                frame.set(FrameKind.END, 0, channel, 0).control(control)))
                        .isTrue();
            }
            ring.publish();
            for (int channel = 1; channel < 60; channel++) {
                assertThat(ring.next()).isEqualTo(RingReader.Found.FRAME);
                assertThat(ring.reader.frame().channel()).isEqualTo(channel);
            }
            expectMarked(ring, behind, behind + 4_096);
        }
    }

    /** Writes there what no record holds. */
    private static void mark(TestRing ring, int from, int to) {
        for (int at = from; at < to; at += Long.BYTES) {
            SegmentLayout.LONGS.set(ring.memory(), at, UNTOUCHED);
        }
    }

    private static void expectMarked(TestRing ring, int from, int to) {
        for (int at = from; at < to; at += Long.BYTES) {
            assertThat((long) SegmentLayout.LONGS.get(ring.memory(), at))
                    .as("at %d", at)
                    .isEqualTo(UNTOUCHED);
        }
    }

    private void end(TestRing ring, int channel) {
        assertThat(ring.frames.write(frame.set(FrameKind.END, 0, channel, 0))).isTrue();
    }

    @Test
    void theLongestFramesFillTheRingAndAGoodbyeStillFits() {
        try (TestRing ring = new TestRing(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL)) {
            int longest = RecordLayout.maxFrame(SegmentLayout.MIN_RING);
            assertThat(longest).isGreaterThanOrEqualTo(1024);
            int taken = 0;
            // In control data, since such a body would go into the pool.
            byte[] control = new byte[longest];
            while (ring.frames.write(frame.set(FrameKind.OPEN, 0, taken, 0).control(control))) {
                taken++;
            }
            assertThat(taken).isGreaterThanOrEqualTo(7);
            int tiny = 0;
            while (ring.frames.write(frame.set(FrameKind.END, 0, tiny, 0))) {
                tiny++;
            }
            assertThat(ring.frames.wouldTake()).isFalse();
            ring.writer.goodbye();
            for (int i = 0; i < taken + tiny; i++) {
                assertThat(ring.next()).isEqualTo(RingReader.Found.FRAME);
            }
            assertThat(ring.next()).isEqualTo(RingReader.Found.GOODBYE);
        }
    }

    @Test
    void aGoodbyeFitsWhereverTheRingIsFull() {
        for (int before = 0; before < 300; before++) {
            try (TestRing ring = new TestRing(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL)) {
                for (int i = 0; i < before; i++) {
                    assertThat(ring.frames.write(frame.set(FrameKind.END, 0, i, 0)))
                            .isTrue();
                    ring.publish();
                    assertThat(ring.next()).isEqualTo(RingReader.Found.FRAME);
                }
                ring.reader.tell();
                int sent = 0;
                byte[] control = new byte[1000];
                while (ring.frames.write(frame.set(FrameKind.END, 0, sent, 0).control(control))) {
                    sent++;
                }
                while (ring.frames.write(frame.set(FrameKind.END, 0, sent, 0))) {
                    sent++;
                }
                ring.writer.goodbye();
                int got = 0;
                RingReader.Found found;
                while ((found = ring.next()) != RingReader.Found.GOODBYE) {
                    assertThat(found).isNotEqualTo(RingReader.Found.NOTHING);
                    if (found == RingReader.Found.FRAME) {
                        assertThat(ring.reader.frame().channel()).isEqualTo(got++);
                    }
                }
                assertThat(got).isEqualTo(sent);
            }
        }
    }

    /** Whoever writes where there is no memory is ended by a signal on a machine that has none left. */
    @ParameterizedTest
    @ValueSource(ints = {RecordLayout.LINE, 2 * RecordLayout.LINE})
    void nothingIsWrittenBehindTheMemoryThatThereIs(int stop) {
        int bytes = Growth.FIRST_RING;
        int whole = 1 << 20;
        try (TestRing ring = new TestRing(whole, SegmentLayout.MIN_POOL)) {
            int start = ring.layout.ring();
            mark(ring, start + bytes, start + whole);
            RingWriter writer = new RingWriter(ring.sent, bytes, () -> {});
            Random random = new Random(7);
            int longest = FrameLayout.HEADER + RecordLayout.maxLength(whole);
            for (int i = 0; i < 20_000; i++) {
                // Every second record is about as long as what is left.
                int left = bytes - (int) (writer.position() & (whole - 1));
                int wanted = i % 2 == 0 ? left - 8 * random.nextInt(40) : 16 + 8 * random.nextInt(500);
                write(writer, Math.max(16, Math.min(wanted, longest)));
                // Behind the first one of a turn these are one run.
                for (int more = random.nextInt(12); more > 0; more--) {
                    write(writer, 16 + 8 * random.nextInt(6));
                }
                writer.publishLast();
                while (ring.next() == RingReader.Found.FRAME) {
                    ring.reader.frame().release();
                }
                ring.reader.tell();
            }
            // The goodbye comes as far behind as it can, if not at the beginning of the next round.
            long round = writer.position() / whole;
            while (writer.position() / whole == round && (writer.position() & (whole - 1)) + 16 <= bytes - stop) {
                write(writer, 16);
                writer.publishLast();
                assertThat(ring.next()).isEqualTo(RingReader.Found.FRAME);
                ring.reader.frame().release();
                ring.reader.tell();
            }
            writer.goodbye();
            assertThat(ring.next()).isEqualTo(RingReader.Found.GOODBYE);
            expectMarked(ring, start + bytes, start + whole);
        }
    }

    private static void write(RingWriter writer, int bytes) {
        int index = writer.claim(bytes);
        assertThat(index).isNotNegative();
        int length = bytes - FrameLayout.HEADER;
        SegmentLayout.LONGS.set(writer.memory(), index + 8, 0L);
        writer.commit(index, FrameLayout.word0(FrameKind.DATA.code(), 0, 0, length), bytes);
    }

    @Test
    void refusesWhatItCanNeverTakeAndChangesNothing() {
        try (TestRing ring = new TestRing(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL)) {
            int longest = RecordLayout.maxFrame(SegmentLayout.MIN_RING);
            ByteBuf body = Unpooled.wrappedBuffer(new byte[longest + 1]);
            assertThatThrownBy(() -> ring.frames.write(
                            new Frame().set(FrameKind.DATA, 0, 1, 0).body(body)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(String.valueOf(longest));
            assertThatThrownBy(() -> ring.frames.write(new Frame().set(FrameKind.DATA, RecordLayout.BLOCK, 1, 0)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("flags");
            byte[] control = new byte[longest + 1];
            assertThatThrownBy(() -> ring.frames.write(
                            new Frame().set(FrameKind.DATA, 0, 1, 0).control(control)))
                    .isInstanceOf(IllegalArgumentException.class);
            DefaultFileRegion region = new DefaultFileRegion(new File("none"), 0, 10);
            assertThatThrownBy(() -> ring.frames.write(
                            new Frame().set(FrameKind.DATA, 0, 1, 0).region(region)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("regions");
            assertThat(body.refCnt()).isOne();
            assertThat(region.refCnt()).isOne();
            body.release();
            region.release();
            ring.publish();
            assertThat(ring.reader.hasNext()).isFalse();
        }
    }

    @Test
    void unknownKindsThatMayBeSkippedAreSkipped() {
        try (TestRing ring = new TestRing(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL)) {
            int index = ring.writer.claim(32);
            ring.writer.commit(index, FrameLayout.word0(200, 0, 0, 12), 32);
            assertThat(ring.frames.write(frame.set(FrameKind.END, 0, 5, 0))).isTrue();
            ring.publish();
            assertThat(ring.reader.read()).isEqualTo(RingReader.Found.SKIPPED);
            assertThat(ring.next()).isEqualTo(RingReader.Found.FRAME);
            assertThat(ring.reader.frame().channel()).isEqualTo(5);
        }
    }

    /** Millions of records of random sizes between two threads over two mappings, against the same random numbers. */
    @ParameterizedTest
    @ValueSource(ints = {SegmentLayout.MIN_RING, 1 << 20})
    void carriesMillionsOfRecordsBetweenTwoThreads(int ringSize) throws Exception {
        int records = 2_000_000;
        // A stack trace per access would make minutes of this; everything is counted at its end instead.
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try (TestRing ring = new TestRing(ringSize, 1 << 20)) {
            CompletableFuture<Void> sender = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    send(ring, records);
                    sender.complete(null);
                } catch (Throwable e) {
                    sender.completeExceptionally(e);
                }
            });
            thread.start();
            try {
                receive(ring, records, sender);
                sender.get(30, TimeUnit.SECONDS);
            } finally {
                thread.interrupt();
                thread.join();
            }
            assertThat(ring.takeBack()).isNotNegative();
            assertThat(ring.pool.inFlight()).isZero();
            assertThat(ring.blocks.outstanding()).isZero();
            assertThat(ring.smallOutstanding()).isZero();
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    private static int lengthOf(Random random) {
        int dice = random.nextInt(1000);
        return dice == 0 ? random.nextInt(8_000) : dice < 50 ? random.nextInt(1_500) : random.nextInt(64);
    }

    private static void send(TestRing ring, int records) throws InterruptedException {
        Random random = new Random(99);
        Frame frame = new Frame();
        ByteBuf content = Unpooled.buffer(8_000);
        for (int i = 0; i < records; i++) {
            int length = lengthOf(random);
            ByteBuf body = content.retainedSlice(0, length);
            for (int at = 0; at + 4 <= length; at += 4 + length / 8) {
                body.setInt(at, i + at);
            }
            Frame offered = frame.set(FrameKind.DATA, 0, i, length).body(body);
            while (!ring.frames.write(offered)) {
                ring.publish();
                int unused = ring.takeBack();
                pause();
            }
            if (random.nextInt(16) == 0) {
                ring.publish();
            }
        }
        ring.publish();
    }

    private static void receive(TestRing ring, int records, CompletableFuture<Void> sender)
            throws InterruptedException {
        Random random = new Random(99);
        for (int i = 0; i < records; ) {
            RingReader.Found found = ring.reader.read();
            if (found == RingReader.Found.NOTHING) {
                ring.reader.tell();
                assertThat(sender.isCompletedExceptionally()).isFalse();
                pause();
                continue;
            }
            if (found == RingReader.Found.FRAME) {
                int length = lengthOf(random);
                int unused = random.nextInt(16);
                check(ring.reader.frame(), i, length);
                i++;
            }
        }
    }

    private static void check(Frame got, int number, int length) {
        ByteBuf body = got.body();
        if (got.channel() != number || got.aux() != length || body.readableBytes() != length) {
            throw new AssertionError("expected " + number + " of " + length + " bytes, got " + got);
        }
        for (int at = 0; at + 4 <= length; at += 4 + length / 8) {
            if (body.getInt(at) != number + at) {
                throw new AssertionError("record " + number + " differs at " + at);
            }
        }
        body.release();
    }

    @SuppressWarnings(
            "ThreadPriorityCheck") // Nothing relies on it; it only hands a shared processor to the other thread.
    private static void pause() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread.yield();
    }
}
