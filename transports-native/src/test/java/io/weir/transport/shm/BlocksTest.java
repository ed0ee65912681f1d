package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@ExtendWith(NothingLeft.class)
class BlocksTest {

    private static final int UNIT = SegmentLayout.UNIT;

    private final Frame frame = new Frame();

    private static ByteBuf receive(TestRing ring) {
        RingReader.Found found;
        do {
            found = ring.reader.read();
        } while (found == RingReader.Found.SKIPPED);
        assertThat(found).isEqualTo(RingReader.Found.FRAME);
        return ring.reader.frame().body();
    }

    private boolean send(TestRing ring, ByteBuf body) {
        boolean taken = ring.frames.write(frame.set(FrameKind.DATA, 0, 1, 0).body(body));
        ring.publish();
        return taken;
    }

    @Test
    void aBlockTravelsWithoutACopy() {
        try (TestRing ring = new TestRing(1 << 20, 1 << 20)) {
            ByteBuf block = ring.allocator.buffer(100_000);
            assertThat(ring.pool.contains(block)).isTrue();
            block.writeZero(100_000);
            assertThat(send(ring, block.retain())).isTrue();
            ByteBuf got = receive(ring);
            assertThat(got.readableBytes()).isEqualTo(100_000);
            assertThat(got.isDirect()).isTrue();
            block.setByte(99_999, 42);
            assertThat(got.getByte(99_999))
                    .as("the same memory, seen through the other mapping")
                    .isEqualTo((byte) 42);
            got.setByte(0, 7);
            assertThat(block.getByte(0)).isEqualTo((byte) 7);
            got.release();
            assertThat(block.refCnt()).isEqualTo(2);
            assertThat(ring.takeBack()).isOne();
            assertThat(block.refCnt()).isOne();
            block.release();
            assertThat(ring.pool.freeUnits()).isEqualTo(ring.layout.units());
        }
    }

    @Test
    void aBlockIsSeenBeforeTheTurnEnds() {
        try (TestRing ring = new TestRing(1 << 20, 1 << 20)) {
            for (int i = 0; i < 3; i++) {
                ByteBuf block = ring.allocator.buffer(100_000).writeZero(100_000);
                assertThat(ring.frames.write(frame.set(FrameKind.DATA, 0, 1, 0).body(block)))
                        .isTrue();
                ByteBuf got = receive(ring);
                assertThat(got.readableBytes()).isEqualTo(100_000);
                got.release();
                assertThat(ring.takeBack()).isOne();
            }
            ring.publish();
            assertThat(ring.next()).isEqualTo(RingReader.Found.NOTHING);
        }
    }

    @Test
    void slicesAndDuplicatesOfABlockTravelInPlaceToo() {
        try (TestRing ring = new TestRing(1 << 20, 1 << 20)) {
            ByteBuf block = ring.allocator.buffer(60_000);
            for (int i = 0; i < 15_000; i++) {
                block.writeInt(i);
            }
            List<ByteBuf> parts = List.of(
                    block.retainedSlice(4_000, 20_000),
                    block.retainedDuplicate().readerIndex(40_000),
                    block.retainedSlice(8_000, 8_000).slice(4_000, 3_000));
            parts.forEach(part -> assertThat(send(ring, part)).isTrue());
            assertThat(ring.pool.inFlight()).isEqualTo(3);
            ByteBuf first = receive(ring);
            ByteBuf second = receive(ring);
            ByteBuf third = receive(ring);
            assertThat(first).isEqualTo(block.slice(4_000, 20_000));
            assertThat(second).isEqualTo(block.slice(40_000, 20_000));
            assertThat(third).isEqualTo(block.slice(12_000, 3_000));
            block.release();
            // In any order.
            third.release();
            first.release();
            assertThat(ring.takeBack()).isEqualTo(2);
            assertThat(block.refCnt()).isOne();
            second.release();
            assertThat(ring.takeBack()).isOne();
            assertThat(block.refCnt()).isZero();
            assertThat(ring.pool.freeUnits()).isEqualTo(ring.layout.units());
        }
    }

    @Test
    void shortPartsOfABlockAreCopied() {
        try (TestRing ring = new TestRing(1 << 20, 1 << 20)) {
            ByteBuf block = ring.allocator.buffer(60_000).writeZero(60_000);
            assertThat(send(ring, block.retainedSlice(0, BlockAllocator.LEAST - 1)))
                    .isTrue();
            assertThat(ring.pool.inFlight()).isZero();
            assertThat(block.refCnt()).isOne();
            receive(ring).release();
            block.release();
        }
    }

    @Test
    void longOrdinaryBodiesAreCopiedIntoABlockIfOneIsFree() {
        try (TestRing ring = new TestRing(1 << 20, 64 << 10)) {
            ByteBuf body = Unpooled.buffer(50_000).writeZero(49_999).writeByte(5);
            assertThat(send(ring, body.retain())).isTrue();
            assertThat(body.refCnt()).isOne();
            assertThat(ring.pool.inFlight()).isOne();
            assertThat(ring.pool.freeUnits()).isZero();
            // None left: through the ring.
            assertThat(send(ring, body.retain())).isTrue();
            assertThat(ring.pool.inFlight()).isOne();
            ByteBuf first = receive(ring);
            ByteBuf second = receive(ring);
            assertThat(first).isEqualTo(body);
            assertThat(second).isEqualTo(body);
            first.release();
            second.release();
            assertThat(ring.takeBack()).isOne();
            assertThat(ring.pool.freeUnits()).isEqualTo(4);
            body.release();
        }
    }

    @Test
    void aBodyLongerThanAnyFrameTravelsInPlace() {
        try (TestRing ring = new TestRing(SegmentLayout.MIN_RING, 2 << 20)) {
            ByteBuf block = ring.allocator.buffer(2 << 20);
            block.writeZero(2 << 20).setLong((2 << 20) - 8, 77);
            assertThat(send(ring, block)).isTrue();
            ByteBuf got = receive(ring);
            assertThat(got.readableBytes()).isEqualTo(2 << 20);
            assertThat(got.getLong((2 << 20) - 8)).isEqualTo(77);
            got.release();
            assertThat(ring.takeBack()).isOne();
        }
    }

    @Test
    void whenAllSlotsAreInUseLongSlicesWaitAndShorterOnesAreCopied() {
        try (TestRing ring = new TestRing(1 << 20, 1 << 20)) {
            ByteBuf block = ring.allocator.buffer(1 << 20).writeZero(1 << 20);
            int slots = ring.layout.slots();
            for (int i = 0; i < slots; i++) {
                assertThat(send(ring, block.retainedSlice(i, 3_000))).isTrue();
            }
            assertThat(send(ring, block.retainedSlice(0, 3_000))).as("copied").isTrue();
            assertThat(block.refCnt()).isEqualTo(1 + slots);
            ByteBuf all = block.retainedDuplicate();
            assertThat(send(ring, all)).isFalse();
            assertThat(ring.frames.wouldTake()).isFalse();
            receive(ring).release();
            assertThat(ring.takeBack()).isOne();
            assertThat(ring.frames.wouldTake()).isTrue();
            assertThat(send(ring, all)).isTrue();
            for (int i = 0; i < slots + 1; i++) {
                receive(ring).release();
            }
            assertThat(ring.takeBack()).isEqualTo(slots);
            block.release();
            assertThat(ring.pool.freeUnits()).isEqualTo(ring.layout.units());
        }
    }

    @Test
    void aBlockThatGrowsMovesIntoOrdinaryMemory() {
        try (TestRing ring = new TestRing(1 << 20, 1 << 20)) {
            ByteBuf block = ring.allocator.buffer(4_000);
            block.writeZero(3_999).writeByte(9);
            assertThat(ring.pool.contains(block)).isTrue();
            block.writeZero(10_000);
            assertThat(block.getByte(3_999)).isEqualTo((byte) 9);
            assertThat(ring.pool.contains(block)).isFalse();
            assertThat(ring.pool.freeUnits()).isEqualTo(ring.layout.units());
            block.release();
            assertThat(ring.pool.freeUnits()).isEqualTo(ring.layout.units());
        }
    }

    @Test
    void whatIsShortOrDoesNotFitIsOrdinaryMemory() {
        try (TestRing ring = new TestRing(1 << 20, 64 << 10)) {
            for (int capacity : new int[] {0, 1, 256, BlockAllocator.LEAST - 1, (64 << 10) + 1, 1 << 20}) {
                ByteBuf ordinary = ring.allocator.buffer(capacity);
                assertThat(ordinary.capacity()).isEqualTo(capacity);
                assertThat(ring.pool.contains(ordinary.writeZero(capacity))).isFalse();
                ordinary.release();
            }
            ByteBuf heap = ring.allocator.heapBuffer(8_000);
            assertThat(heap.hasArray()).isTrue();
            heap.release();
        }
    }

    @Test
    void blocksOutliveTheLinkAndTheirMemoryIsGoneWithTheLastOne() {
        TestRing ring = new TestRing(1 << 20, 1 << 20);
        ByteBuf mine = ring.allocator.buffer(100_000).writeZero(99_999).writeByte(3);
        assertThat(send(ring, mine.retainedDuplicate())).isTrue();
        ByteBuf got = receive(ring);
        ring.close();
        assertThat(mine.refCnt()).as("what the peer had is given back").isOne();
        assertThat(ring.mapping().holders()).isOne();
        assertThat(mine.getByte(99_999)).isEqualTo((byte) 3);
        assertThat(got.getByte(99_999)).isEqualTo((byte) 3);
        assertThat(ring.allocator.buffer(100_000).release())
                .as("ordinary memory now")
                .isTrue();
        mine.release();
        assertThat(ring.mapping().holders()).isZero();
        assertThat(ring.received.mapping().holders()).isOne();
        got.release();
        assertThat(ring.received.mapping().holders()).isZero();
    }

    @Test
    void copyInGivesMemoryThatThePeerCanNotReach() {
        try (TestRing ring = new TestRing(1 << 20, 1 << 20, true)) {
            ByteBuf block = ring.allocator.buffer(100_000).writeZero(100_000);
            assertThat(send(ring, block.retain())).isTrue();
            ByteBuf got = receive(ring);
            assertThat(ring.takeBack()).as("given back at once").isOne();
            block.setByte(50, 1);
            assertThat(got.getByte(50)).isZero();
            assertThat(got.readableBytes()).isEqualTo(100_000);
            got.release();
            block.release();
        }
    }

    /** Blocks never overlap, whatever order they are taken and released in, by whatever threads. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void blocksThatAreOutNeverOverlap(int threads) throws Exception {
        try (TestRing ring = new TestRing(1 << 20, 2 << 20)) {
            ExecutorService executor = Executors.newFixedThreadPool(threads);
            try {
                List<Future<?>> all = new ArrayList<>();
                for (int t = 0; t < threads; t++) {
                    int id = t + 1;
                    all.add(executor.submit(() -> takeAndRelease(ring, id)));
                }
                for (Future<?> one : all) {
                    one.get(60, TimeUnit.SECONDS);
                }
            } finally {
                executor.shutdownNow();
            }
            assertThat(ring.pool.freeUnits()).isEqualTo(ring.layout.units());
        }
    }

    private static void takeAndRelease(TestRing ring, int id) {
        Random random = new Random(id);
        List<ByteBuf> mine = new ArrayList<>();
        int inPool = 0;
        for (int step = 0; step < 5_000; step++) {
            if (random.nextInt(100) < 60 && mine.size() < 40) {
                int length = BlockAllocator.LEAST + random.nextInt(4 * UNIT);
                long mark = (long) id << 32 | step;
                ByteBuf block = ring.allocator.buffer(length).writeZero(length);
                block.setLong(0, mark).setLong(length - 8, mark);
                inPool += ring.pool.contains(block) ? 1 : 0;
                mine.add(block);
            } else if (!mine.isEmpty()) {
                ByteBuf block = mine.remove(random.nextInt(mine.size()));
                long mark = block.getLong(0);
                if (mark >>> 32 != id || block.getLong(block.capacity() - 8) != mark) {
                    throw new AssertionError("another block has written here");
                }
                block.release();
            }
        }
        mine.forEach(ByteBuf::release);
        assertThat(inPool).isPositive();
    }

    /** Blocks come back from many threads in any order, each exactly once. */
    @Test
    void blocksComeBackFromManyThreads() throws Exception {
        int messages = 20_000;
        try (TestRing ring = new TestRing(1 << 20, 2 << 20)) {
            BlockingQueue<ByteBuf> received = new ArrayBlockingQueue<>(64);
            ByteBuf end = Unpooled.EMPTY_BUFFER;
            ExecutorService users = Executors.newFixedThreadPool(4);
            try {
                List<Future<?>> all = new ArrayList<>();
                for (int t = 0; t < 4; t++) {
                    all.add(users.submit(() -> {
                        for (ByteBuf body = received.take(); body.isReadable(); body = received.take()) {
                            long mark = body.getLong(0);
                            if (body.getLong(body.readableBytes() - 8) != mark) {
                                throw new AssertionError("changed while we had it");
                            }
                            body.release();
                        }
                        received.put(end);
                        return null;
                    }));
                }
                int copied = sendAndPassOn(ring, messages, received);
                received.put(end);
                for (Future<?> one : all) {
                    one.get(60, TimeUnit.SECONDS);
                }
                assertThat(copied).as("most find a block").isLessThan(messages / 2);
            } finally {
                users.shutdownNow();
            }
            int unused = ring.takeBack();
            assertThat(ring.pool.inFlight()).isZero();
            assertThat(ring.blocks.outstanding()).isZero();
            assertThat(ring.pool.freeUnits()).isEqualTo(ring.layout.units());
        }
    }

    private int sendAndPassOn(TestRing ring, int messages, BlockingQueue<ByteBuf> to) throws InterruptedException {
        Random random = new Random(5);
        int copied = 0;
        for (int i = 0; i < messages; i++) {
            int length = BlockAllocator.LEAST + random.nextInt(UNIT);
            ByteBuf block = ring.allocator.buffer(length).writerIndex(length);
            block.setLong(0, i).setLong(length - 8, i);
            copied += ring.pool.contains(block) ? 0 : 1;
            assertThat(send(ring, block)).isTrue();
            ByteBuf got = receive(ring);
            ring.reader.tell();
            to.put(got);
            int unused = ring.takeBack();
        }
        return copied;
    }
}
