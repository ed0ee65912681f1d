package io.weir.transport.shm;

import static io.weir.transport.shm.SegmentLayout.INTS;
import static io.weir.transport.shm.SegmentLayout.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.ProtocolMismatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that writes whatever it likes into the memory can end the link with a clear error, and nothing else. */
@Timeout(120)
@ExtendWith(NothingLeft.class)
class HostilePeerTest {

    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private static final int RING = SegmentLayout.MIN_RING;
    private static final int POOL = SegmentLayout.MIN_POOL;
    private static final int RECORDS = 200;

    private static void put(TestRing ring, int at, long word) {
        LONGS.setRelease(ring.memory(), ring.layout.ring() + at, word);
    }

    private static void expectMismatch(TestRing ring, String text) {
        assertThatThrownBy(ring.reader::read)
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining(text);
    }

    @Test
    void lengthsThatCannotBe() {
        int longest = RecordLayout.maxLength(RING);
        for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, longest + 1}) {
            for (int kind : new int[] {FrameKind.DATA.code(), FrameKind.OPEN.code(), 200}) {
                try (TestRing ring = new TestRing(RING, POOL)) {
                    put(ring, 0, FrameLayout.word0(kind, 0, 0, length));
                    expectMismatch(ring, "does not fit");
                }
            }
        }
    }

    @Test
    void aRecordThatReachesBehindTheRing() {
        try (TestRing ring = new TestRing(RING, POOL)) {
            for (int at = 0; at < RING - 8; at += 16) {
                put(ring, at, FrameLayout.word0(200, 0, 0, 0));
                assertThat(ring.reader.read()).isEqualTo(RingReader.Found.SKIPPED);
                if (at + 32 == RING) {
                    put(ring, at + 16, FrameLayout.word0(FrameKind.DATA.code(), 0, 0, 1));
                    break;
                }
            }
            expectMismatch(ring, "does not fit");
        }
    }

    @Test
    void controlDataLongerThanTheFrame() {
        try (TestRing ring = new TestRing(RING, POOL)) {
            put(ring, 0, FrameLayout.word0(FrameKind.DATA.code(), 0, 9, 8));
            expectMismatch(ring, "control data");
        }
    }

    @Test
    void unknownKindsAndMarks() {
        try (TestRing ring = new TestRing(RING, POOL)) {
            put(ring, 0, FrameLayout.word0(99, 0, 0, 0));
            expectMismatch(ring, "unknown kind 99");
            put(ring, 0, FrameLayout.word0(0, 0, 0, 16));
            expectMismatch(ring, "record that can't be");
            put(ring, 0, FrameLayout.word0(0, RecordLayout.PADDING, 0, 16));
            expectMismatch(ring, "record that can't be");
        }
    }

    @Test
    void blocksThatCannotBe() {
        int units = POOL;
        long[][] places = {
            {-1, 10, 0},
            {0, -1, 0},
            {units - 1, 2, 0},
            {units, 1, 0},
            {0, units + 1, 0},
            {Integer.MIN_VALUE, 0, 0},
            {0, 16, -1},
            {0, 16, Long.MIN_VALUE},
            {0, 16, 8},
            {0, 16, 1L << 32}
        };
        for (long[] place : places) {
            try (TestRing ring = new TestRing(RING, POOL)) {
                assertThat(ring.layout.slots()).isEqualTo(8);
                putBlock(ring, 0, (place[0] & 0xffff_ffffL) | place[1] << 32, place[2]);
                expectMismatch(ring, "the peer lends");
                assertThat(ring.blocks.outstanding()).isZero();
            }
        }
    }

    private static void putBlock(TestRing ring, int at, long place, long slot) {
        put(ring, at + 16, place);
        put(ring, at + 24, slot);
        int length = RecordLayout.BLOCK_WORDS;
        put(ring, at, FrameLayout.word0(FrameKind.DATA.code(), RecordLayout.BLOCK, 0, length));
    }

    @Test
    void aSlotThatIsLentTwice() {
        try (TestRing ring = new TestRing(RING, POOL)) {
            putBlock(ring, 0, 16L << 32, 3);
            putBlock(ring, 32, 16L << 32, 3);
            assertThat(ring.reader.read()).isEqualTo(RingReader.Found.FRAME);
            ByteBuf body = ring.reader.frame().body();
            expectMismatch(ring, "which we have already");
            body.release();
        }
    }

    @Test
    void aBlockWithABodyBesides() {
        try (TestRing ring = new TestRing(RING, POOL)) {
            put(ring, 0, FrameLayout.word0(FrameKind.DATA.code(), RecordLayout.BLOCK, 0, 24));
            expectMismatch(ring, "and a block");
            put(ring, 0, FrameLayout.word0(FrameKind.DATA.code(), RecordLayout.BLOCK, 0, 8));
            expectMismatch(ring, "and a block");
        }
    }

    @Test
    void readPositionsThatCannotBe() {
        Frame frame = new Frame();
        byte[] control = new byte[1000];
        for (long position : new long[] {-8, 4, 8, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 40}) {
            try (TestRing ring = new TestRing(RING, POOL)) {
                assertThat(ring.frames.write(frame.set(FrameKind.DATA, 0, 1, 0)))
                        .isTrue();
                LONGS.setRelease(ring.memory(), SegmentLayout.READ_POSITION, position == 8 ? 24L : position);
                assertThatThrownBy(() -> {
                            while (ring.frames.write(
                                    frame.set(FrameKind.DATA, 0, 1, 0).control(control))) {
                                LONGS.setRelease(
                                        ring.memory(),
                                        SegmentLayout.READ_POSITION,
                                        position == 8 ? 24L << 30 : position);
                            }
                        })
                        .isInstanceOf(ProtocolMismatch.class)
                        .hasMessageContaining("has read up to");
            }
        }
    }

    @Test
    void returnsOfWhatWasNotLent() {
        for (int entry : new int[] {1, 2, 9, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            try (TestRing ring = new TestRing(RING, POOL)) {
                INTS.setRelease(ring.memory(), SegmentLayout.RETURNS, entry);
                assertThatThrownBy(ring::takeBack)
                        .isInstanceOf(ProtocolMismatch.class)
                        .hasMessageContaining("does not have");
                // Threads that can't end the link get ordinary memory, and leave it to the loop to find out.
                List<ByteBuf> all = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    all.add(ring.allocator.buffer(SegmentLayout.UNIT));
                }
                assertThat(ring.pool.contains(all.get(3))).isTrue();
                assertThat(ring.pool.contains(all.get(4))).isFalse();
                assertThatThrownBy(ring::takeBack).isInstanceOf(ProtocolMismatch.class);
                all.forEach(ByteBuf::release);
            }
        }
    }

    @Test
    void aReturnThatComesTwice() {
        try (TestRing ring = new TestRing(RING, POOL)) {
            ByteBuf block = ring.allocator.buffer(4000).writeZero(4000);
            assertThat(ring.frames.write(
                            new Frame().set(FrameKind.DATA, 0, 1, 0).body(block)))
                    .isTrue();
            ring.publish();
            assertThat(ring.reader.read()).isEqualTo(RingReader.Found.FRAME);
            ring.reader.frame().body().release();
            INTS.setRelease(
                    ring.memory(), SegmentLayout.RETURNS + 4, (int) INTS.get(ring.memory(), SegmentLayout.RETURNS));
            assertThatThrownBy(ring::takeBack).isInstanceOf(ProtocolMismatch.class);
            assertThat(block.refCnt()).as("released once, not twice").isZero();
        }
    }

    /** Every byte may be anything, before and while it is read. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomBytesGiveFramesOrAMismatchAndNothingElse(long seed) {
        Random random = new Random(seed);
        int mismatches = 0;
        for (int round = 0; round < 400; round++) {
            try (TestRing ring = new TestRing(RING, POOL, round % 2 == 0)) {
                fillSome(ring, random);
                scribble(ring, random, 1 + random.nextInt(200));
                mismatches += readAll(ring, random);
                mismatches += writeSome(ring, random);
                assertThat(ring.smallOutstanding()).isZero();
                assertThat(ring.blocks.outstanding()).isZero();
            }
        }
        assertThat(mismatches).isPositive();
    }

    private static void fillSome(TestRing ring, Random random) {
        Frame frame = new Frame();
        for (int i = 0; i < 20; i++) {
            ByteBuf body = ring.allocator.buffer().writeZero(random.nextInt(6_000));
            if (!ring.frames.write(frame.set(FrameKind.DATA, 0, i, 0).body(body))) {
                body.release();
            }
        }
        ring.publish();
    }

    private static void scribble(TestRing ring, Random random, int words) {
        ByteBuffer memory = ring.memory();
        int until = ring.layout.ring() + (random.nextBoolean() ? 4_096 : RING);
        for (int i = 0; i < words; i++) {
            int at = 16 + random.nextInt(until - 16 - 8) & -8;
            LONGS.setOpaque(memory, at, plausible(random));
        }
    }

    /** Not only noise, which the first check would refuse. */
    private static long plausible(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt(16);
            case 2 -> 0;
            default ->
                FrameLayout.word0(
                        random.nextInt(3) == 0 ? random.nextInt(256) : FrameKind.DATA.code(),
                        random.nextInt(4) == 0 ? random.nextInt(256) : 0,
                        random.nextInt(4) == 0 ? random.nextInt(100) : 0,
                        random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(200));
        };
    }

    private static int readAll(TestRing ring, Random random) {
        List<ByteBuf> bodies = new ArrayList<>();
        try {
            for (int i = 0; i < RECORDS; i++) {
                RingReader.Found found = ring.reader.read();
                if (found == RingReader.Found.FRAME) {
                    bodies.add(ring.reader.frame().body());
                } else if (found != RingReader.Found.SKIPPED) {
                    break;
                }
                if (random.nextInt(8) == 0) {
                    scribble(ring, random, 3);
                }
            }
            return 0;
        } catch (ProtocolMismatch e) {
            assertThat(e).hasMessageContaining("the ");
            return 1;
        } finally {
            bodies.forEach(ByteBuf::release);
        }
    }

    private static int writeSome(TestRing ring, Random random) {
        Frame frame = new Frame();
        byte[] control = new byte[1000];
        try {
            for (int i = 0; i < RECORDS; i++) {
                if (!ring.frames.write(frame.set(FrameKind.DATA, 0, i, 0).control(control))) {
                    break;
                }
                if (random.nextInt(8) == 0) {
                    scribble(ring, random, 3);
                }
            }
            int unused = ring.takeBack();
            return 0;
        } catch (ProtocolMismatch e) {
            return 1;
        }
    }

    @Test
    void aPeerThatWritesWhileItIsReadIsSeenOncePerWord() throws Exception {
        try (TestRing ring = new TestRing(RING, POOL)) {
            AtomicBoolean stop = new AtomicBoolean();
            int at = ring.layout.ring();
            long small = FrameLayout.word0(FrameKind.DATA.code(), 0, 0, 8);
            long large = FrameLayout.word0(FrameKind.DATA.code(), 0, 0, Integer.MAX_VALUE);
            Thread peer = new Thread(() -> {
                while (!stop.get()) {
                    for (int i = 0; i < RING; i += 8) {
                        LONGS.setOpaque(ring.memory(), at + i, small);
                        LONGS.setOpaque(ring.memory(), at + i, large);
                    }
                }
            });
            peer.start();
            try {
                int mismatches = 0;
                int frames = 0;
                long end = System.nanoTime() + PATIENCE_NANOS;
                // While nothing has come, the peer may have had no processor yet.
                for (long i = 0;
                        (mismatches < 300 || frames < 300)
                                && (i < 100_000 || (frames + mismatches == 0 && System.nanoTime() - end < 0));
                        i++) {
                    try {
                        if (ring.reader.read() == RingReader.Found.FRAME) {
                            assertThat(ring.reader.frame().bodyLength()).isEqualTo(8);
                            ring.reader.frame().release();
                            frames++;
                        }
                    } catch (ProtocolMismatch e) {
                        mismatches++;
                    }
                }
                assertThat(frames + mismatches).isPositive();
            } finally {
                stop.set(true);
                peer.join();
            }
        }
    }

    @Test
    void afterItsEndARingReachesNoMemory() {
        ByteBuffer nothing = ByteBuffer.allocateDirect(0);
        try (TestRing ring = new TestRing(RING, POOL)) {
            ring.reader.end(nothing);
            ring.writer.end(nothing);
            assertThatThrownBy(ring.reader::read).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> ring.reader.sleeps(true)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> ring.frames.write(
                            new Frame().set(FrameKind.DATA, 0, 1, 0).body(Unpooled.copyInt(1))))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> ring.writer.waits(true)).isInstanceOf(IndexOutOfBoundsException.class);
            ring.pool.end();
            assertThat(ring.pool.take(10)).isNull();
            assertThat(ring.pool.nextReturned()).isNull();
        }
    }
}
