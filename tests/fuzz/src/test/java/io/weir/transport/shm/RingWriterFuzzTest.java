package io.weir.transport.shm;

import static io.weir.fuzz.Frames.content;
import static io.weir.fuzz.Frames.describe;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.LoopBuffers;
import io.weir.core.ProtocolMismatch;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever the receiver says of how far it has read, and gives back: as long as that may be true, what was written is
 * read alike; what can't be true is a breach; nothing is written where the ring has no memory yet, nor beside the ring;
 * and each block is released once.
 */
class RingWriterFuzzTest {

    private static final int RING = SegmentLayout.MIN_RING;
    private static final int LITTLE = RING / 2;
    private static final SegmentLayout LAYOUT = new SegmentLayout(RING, SegmentLayout.MIN_POOL);
    private static final Segment SEGMENT = Shared.segment(LAYOUT);
    private static final Doorbell DOORBELL = Shared.doorbell();
    private static final byte[] ZEROS = new byte[RING];
    private static final byte[] UNTOUCHED = untouched();
    private static final byte[] CONTENT = content(RING);

    private static final int SHORT_OF_MEMORY = 1;

    private static final int WRITE = 0;
    private static final int WRITE_LONG = 1;
    private static final int WRITE_BLOCK = 2;
    private static final int PUBLISH = 3;
    private static final int READ = 4;
    private static final int TAKE_BACK = 5;
    private static final int GROW = 6;
    private static final int SAY_READ = 7;
    private static final int SAY_ANYTHING = 8;
    private static final int GIVE_BACK = 9;
    private static final int DEEDS = 10;

    private static byte[] untouched() {
        byte[] bytes = new byte[RING - LITTLE];
        Arrays.fill(bytes, (byte) 0x5a);
        return bytes;
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                deeds(0, WRITE, 10, 0, WRITE, 100, 1, PUBLISH, READ, WRITE, 255, 3, PUBLISH, READ),
                deeds(0, WRITE_BLOCK, 40, 0, WRITE_LONG, 9, 2, PUBLISH, READ, TAKE_BACK, WRITE, 1, 1, PUBLISH, READ),
                deeds(
                        SHORT_OF_MEMORY,
                        times(6, WRITE_LONG, 255, 0),
                        bytes(PUBLISH, READ),
                        times(6, WRITE_LONG, 255, 0)),
                deeds(SHORT_OF_MEMORY, times(6, WRITE_LONG, 255, 0), bytes(GROW, WRITE_LONG, 200, 0, PUBLISH, READ)),
                deeds(
                        0,
                        times(30, WRITE_LONG, 250, 0, PUBLISH),
                        bytes(READ),
                        times(30, WRITE_LONG, 250, 1, PUBLISH, READ)),
                deeds(0, times(12, WRITE_BLOCK, 1, 0), bytes(PUBLISH, READ, TAKE_BACK, WRITE_BLOCK, 1, 0)),
                deeds(0, WRITE, 10, 0, PUBLISH, SAY_READ, 8, WRITE, 10, 0, SAY_READ, 200, WRITE, 10, 0),
                deeds(
                        0,
                        times(30, WRITE_LONG, 250, 0, PUBLISH),
                        bytes(SAY_ANYTHING, 0, 0, 0, 0, 0, 0, 4, 0, WRITE, 1, 1)),
                deeds(0, times(30, WRITE_LONG, 250, 0, PUBLISH), bytes(SAY_ANYTHING, 255, 1, 0, 0, 0, 0, 4, 0)),
                deeds(0, WRITE_BLOCK, 1, 0, PUBLISH, GIVE_BACK, 0, 1, TAKE_BACK, GIVE_BACK, 1, 1, TAKE_BACK),
                deeds(0, WRITE_BLOCK, 1, 0, PUBLISH, GIVE_BACK, 0, 200, TAKE_BACK),
                deeds(0, bytes(WRITE_BLOCK, 1, 0, PUBLISH, GIVE_BACK, 0, 255), times(9, WRITE_BLOCK, 200, 0)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatWasWrittenIsReadAlike(byte[] input) {
        Writing writing = new Writing(input);
        try {
            writing.run();
        } finally {
            writing.end();
        }
    }

    private static final class Writing {

        private final byte[] input;
        private int at = 1;
        private final ByteBuffer memory = SEGMENT.mapping().memory();
        private final LoopBuffers small = new LoopBuffers();
        private final BlockPool pool = new BlockPool(SEGMENT);
        private final BlockAllocator allocator = new BlockAllocator(pool);
        private final RingWriter ring;
        private final FrameWriter writer;
        private final ReceivedBlocks blocks = new ReceivedBlocks(SEGMENT, false, DOORBELL);
        private final RingReader reader;
        private final Deque<String> written = new ArrayDeque<>();
        private boolean little;
        private boolean lied;

        Writing(byte[] input) {
            this.input = input;
            this.little = input.length > 0 && (input[0] & SHORT_OF_MEMORY) != 0;
            memory.put(0, ZEROS, 0, LAYOUT.ring());
            memory.put(LAYOUT.ring(), ZEROS);
            if (little) {
                memory.put(LAYOUT.ring() + LITTLE, UNTOUCHED);
            }
            this.ring = little ? new RingWriter(SEGMENT, LITTLE, () -> {}) : new RingWriter(SEGMENT);
            this.writer = new FrameWriter(ring, pool, allocator, RecordLayout.maxFrame(RING));
            this.reader = new RingReader(SEGMENT, small, PooledByteBufAllocator.DEFAULT, blocks);
        }

        private int next() {
            return at < input.length ? input[at++] & 0xff : 0;
        }

        void run() {
            try {
                while (at < input.length) {
                    act(next() % DEEDS);
                }
                if (!lied) {
                    ring.publishLast();
                    read();
                    assertThat(written).isEmpty();
                }
            } catch (ProtocolMismatch e) {
                assertThat(lied)
                        .as("a breach of one who says what is true: " + e)
                        .isTrue();
            }
            check();
        }

        private void act(int deed) {
            switch (deed) {
                case WRITE -> {
                    int length = next();
                    write(Unpooled.buffer(Math.max(1, length)), length, next());
                }
                case WRITE_LONG -> {
                    int length = 1 + 31 * next();
                    write(PooledByteBufAllocator.DEFAULT.directBuffer(length), length, next());
                }
                case WRITE_BLOCK -> {
                    int length = BlockAllocator.LEAST + 100 * next();
                    ByteBuf body = allocator.directBuffer(length);
                    if (pool.contains(body) || length <= RecordLayout.maxFrame(RING) - 16) {
                        write(body, length, next());
                    } else {
                        body.release();
                    }
                }
                case PUBLISH -> ring.publishLast();
                case READ -> read();
                case TAKE_BACK -> takeBack();
                case GROW -> grow();
                case SAY_READ -> says(8L * next());
                case SAY_ANYTHING -> says(anything());
                default -> {
                    lied = true;
                    int place = next() & LAYOUT.slots() - 1;
                    SegmentLayout.INTS.set(memory, SegmentLayout.RETURNS + place * Integer.BYTES, (int) (byte) next());
                }
            }
        }

        private long anything() {
            long value = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                value = value << 8 | next();
            }
            return value;
        }

        private void says(long position) {
            lied = true;
            SegmentLayout.LONGS.set(memory, SegmentLayout.READ_POSITION, position);
        }

        private void write(ByteBuf body, int length, int how) {
            body.writeBytes(CONTENT, how, length);
            FrameKind kind = (how & 1) == 0 ? FrameKind.DATA : FrameKind.FIRST;
            Frame frame = new Frame()
                    .set(kind, how & 0xf, how, length)
                    .words(kind == FrameKind.FIRST ? 77 + how : 0, 0)
                    .control(new byte[how & 0xf])
                    .body(body);
            String description = describe(frame);
            boolean taken = false;
            try {
                taken = writer.write(frame);
            } finally {
                if (taken) {
                    written.add(description);
                } else {
                    body.release();
                }
            }
        }

        private void read() {
            if (lied) {
                return;
            }
            RingReader.Found found = reader.read();
            while (found != RingReader.Found.NOTHING) {
                if (found == RingReader.Found.FRAME) {
                    assertThat(describe(reader.frame())).isEqualTo(written.poll());
                    reader.frame().release();
                }
                found = reader.read();
            }
            reader.tell();
        }

        private void takeBack() {
            for (ByteBuf back; (back = pool.nextReturned()) != null; ) {
                assertThat(back.refCnt()).isPositive();
                back.release();
            }
        }

        private void grow() {
            if (little) {
                check();
                little = false;
                memory.put(LAYOUT.ring() + LITTLE, ZEROS, 0, RING - LITTLE);
                ring.grown(RING);
            }
        }

        private void check() {
            assertThat(memory.getLong(0)).isZero();
            assertThat(memory.getLong(SegmentLayout.SIZES)).isZero();
            if (little) {
                ByteBuffer behind = memory.slice(LAYOUT.ring() + LITTLE, RING - LITTLE);
                assertThat(behind.mismatch(ByteBuffer.wrap(UNTOUCHED))).isEqualTo(-1);
            }
        }

        void end() {
            pool.end();
            assertThat(pool.freeUnits()).isEqualTo(LAYOUT.units());
            assertThat(SEGMENT.mapping().holders()).isEqualTo(1);
            assertThat(small.outstanding()).isZero();
            assertThat(blocks.outstanding()).isZero();
        }
    }

    private static int[] bytes(int... values) {
        return values;
    }

    private static int[] times(int count, int... values) {
        int[] all = new int[count * values.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = values[i % values.length];
        }
        return all;
    }

    private static byte[] deeds(int how, int... values) {
        return deeds(how, values, new int[0]);
    }

    private static byte[] deeds(int how, int[]... parts) {
        ByteBuf all = Unpooled.buffer().writeByte(how);
        for (int[] part : parts) {
            for (int value : part) {
                all.writeByte(value);
            }
        }
        return ByteBufUtil.getBytes(all);
    }
}
