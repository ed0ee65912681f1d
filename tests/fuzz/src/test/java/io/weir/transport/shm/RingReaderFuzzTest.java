package io.weir.transport.shm;

import static io.weir.fuzz.Frames.append;
import static io.weir.fuzz.Frames.content;
import static io.weir.fuzz.Frames.describe;
import static io.weir.fuzz.Frames.frame;
import static io.weir.fuzz.Frames.optional;
import static io.weir.fuzz.Frames.record;
import static io.weir.fuzz.Frames.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.LoopBuffers;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.stream.FrameParser;
import io.weir.transport.stream.Greeting;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer writes into the ring that it shares with us, and although it writes on while we read: what is found
 * is what a stream of the same bytes would hold, with the bodies that lie in the pool, or a breach; nothing outside of
 * the ring and the pool is taken for a part of a record; and no buffer and no block is kept.
 */
class RingReaderFuzzTest {

    private static final int RING = SegmentLayout.MIN_RING;
    private static final SegmentLayout LAYOUT = new SegmentLayout(RING, SegmentLayout.MIN_POOL);

    /** How the input begins: what is done, what changes meanwhile, and at which word of the ring records begin. */
    private static final int PREFIX = 4;

    private static final int COPY_IN = 1;
    private static final int CHANGING = 2;
    private static final int LENDING = 4;
    private static final int KEEPING = 8;

    private static final Segment SEGMENT = Shared.segment(LAYOUT);
    private static final Doorbell DOORBELL = Shared.doorbell();
    private static final byte[] ZEROS = new byte[RING];
    private static final byte[] POOL = content(LAYOUT.poolSize());

    static Stream<byte[]> seeds() {
        Frame data = frame(FrameKind.DATA, 1).control(new byte[] {1, 2, 3}).body(text(10));
        Frame open = frame(FrameKind.OPEN, 1).words(256, 1 << 20).body(text(6));
        Frame first = frame(FrameKind.FIRST, 7).words(4000, 0).body(text(3000));
        Frame word = frame(FrameKind.DATA, 2).body(text(100));
        byte[] lent = block(RecordLayout.BLOCK, frame(FrameKind.DATA, 1).control(new byte[5]), 100, 3000, 2);
        byte[] other = block(RecordLayout.BLOCK, frame(FrameKind.NEXT, 1), LAYOUT.poolSize() - 7, 7, 7);
        byte[] beyond = block(RecordLayout.BLOCK, frame(FrameKind.NEXT, 1), LAYOUT.poolSize() - 7, 8, 7);
        byte[] noSlot = block(RecordLayout.BLOCK, frame(FrameKind.NEXT, 1), 0, 8, LAYOUT.slots());
        byte[] goodbye = mark(RecordLayout.GOODBYE, 0);
        return Stream.of(
                input(0, 0, 0, record(data), record(open), record(word), goodbye),
                input(LENDING, 0, 0, record(data), record(data), record(word), record(first)),
                input(KEEPING, 0, 40, record(first), record(open), lent, other),
                input(COPY_IN, 0, 40, lent, lent, other, beyond),
                input(KEEPING, 0, 40, lent, lent),
                input(0, 0, 8, other, noSlot),
                input(0, 0, RING / 8 - 4, record(frame(FrameKind.PING, 0).body(text(16))), record(data)),
                input(0, 0, RING / 8 - 4, mark(RecordLayout.PADDING, 32), record(data)),
                input(0, 0, RING / 8 - 1, record(data)),
                input(0, 0, 0, record(frame(FrameKind.PING, 0)), mark(RecordLayout.PADDING, 48), record(open)),
                input(0, 0, 0, optional(200, 24), optional(128, 0), record(data), optional(127, 0)),
                input(CHANGING, 1, 0, lent, record(first), lent, record(data)),
                input(CHANGING | COPY_IN, 3, 0, record(first), other, record(first), record(open)),
                input(CHANGING | LENDING, 0xff, 0, lent, record(data), record(first), record(data)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void aRingHoldsWhatAStreamWouldHold(byte[] input) {
        if (input.length < PREFIX) {
            return;
        }
        new Reading(input).run();
        assertThat(SEGMENT.mapping().holders()).isEqualTo(1);
    }

    /** One ring, read to its end. */
    private static final class Reading {

        private final ByteBuffer memory = SEGMENT.mapping().memory();
        private final int how;
        private final int change;
        private final long start;
        private final LoopBuffers small = new LoopBuffers();
        private final UnpooledByteBufAllocator large = new UnpooledByteBufAllocator(true, true);
        private final ReceivedBlocks blocks;
        private final RingReader reader;
        private final List<ByteBuf> kept = new ArrayList<>();
        private final Set<Long> slotsKept = new HashSet<>();

        Reading(byte[] input) {
            this.how = input[0];
            this.change = input[1];
            this.start = 8L * (((input[2] & 0x1f) << 8 | input[3] & 0xff) & (RING / 8 - 1));
            memory.put(LAYOUT.ring(), ZEROS);
            memory.put(LAYOUT.pool(), POOL);
            SegmentLayout.LONGS.set(memory, SegmentLayout.READ_POSITION, start);
            int length = Math.min(RING - 8, input.length - PREFIX);
            int here = Math.min(length, RING - (int) start);
            memory.put(LAYOUT.ring() + (int) start, input, PREFIX, here);
            memory.put(LAYOUT.ring(), input, PREFIX + here, length - here);
            this.blocks = new ReceivedBlocks(SEGMENT, (how & COPY_IN) != 0, DOORBELL);
            this.reader = new RingReader(SEGMENT, small, new Allocator(), this::block, start);
        }

        void run() {
            while (reader.position() < start + RING) {
                long before = reader.position();
                String expected = (how & CHANGING) != 0 ? null : expected(before);
                assertThat(reader.hasNext()).isEqualTo(!"NOTHING".equals(found(expected)));
                boolean unused = reader.nextIsFor(channel -> channel == 1);
                String found = read();
                if (expected != null) {
                    assertThat(found).isEqualTo(expected);
                }
                if (found.equals("breach") || found.equals("NOTHING") || found.equals("GOODBYE")) {
                    break;
                }
                assertThat(reader.position() & 7).isZero();
                assertThat(reader.position()).isGreaterThan(before);
                assertThat((long) SegmentLayout.LONGS.get(memory, SegmentLayout.READ_POSITION))
                        .isLessThanOrEqualTo(reader.position());
            }
            kept.forEach(ByteBuf::release);
            assertThat(blocks.outstanding()).isZero();
            assertThat(small.outstanding()).isZero();
            assertThat(large.metric().usedDirectMemory()).isZero();
            assertThat(large.metric().usedHeapMemory()).isZero();
        }

        private String found(String expected) {
            if (expected != null) {
                return expected;
            }
            return (long) SegmentLayout.LONGS.get(memory, index(reader.position())) == 0 ? "NOTHING" : "something";
        }

        private String read() {
            RingReader.Found found;
            try {
                found = reader.read();
            } catch (ProtocolMismatch e) {
                return "breach";
            }
            if (found != RingReader.Found.FRAME) {
                return found.toString();
            }
            Frame frame = reader.frame();
            String described = describe(frame);
            if ((how & LENDING) != 0) {
                frame.lendNext();
            }
            if ((how & KEEPING) != 0 && !frame.isLent()) {
                kept.add(frame.body());
                frame.clear();
            } else {
                frame.release();
            }
            return described;
        }

        private ByteBuf block(long place, long slot) {
            changes();
            ByteBuf body = blocks.receive(place, slot);
            slotsKept.add(slot);
            changes();
            return body;
        }

        /** The peer writes while we read: over the record, over what follows and over the pool. */
        private void changes() {
            if ((how & CHANGING) == 0) {
                return;
            }
            int index = index(reader.position());
            for (int at = index; at < Math.min(index + 64, LAYOUT.pool()); at++) {
                memory.put(at, (byte) (memory.get(at) ^ change));
            }
            memory.put(LAYOUT.pool(), (byte) ~memory.get(LAYOUT.pool()));
        }

        private int index(long position) {
            return LAYOUT.ring() + (int) (position & RING - 1);
        }

        /** What has to be found there, by the drawing of records and by what reads streams. */
        private String expected(long position) {
            int index = index(position);
            int left = LAYOUT.pool() - index;
            long word = (long) SegmentLayout.LONGS.get(memory, index);
            int length = FrameLayout.length(word);
            int code = FrameLayout.kindCode(word);
            if (word == 0) {
                return "NOTHING";
            }
            if (code == 0) {
                return mark(word, length, position, left);
            }
            FrameKind kind = FrameKind.of(code);
            long size = FrameLayout.size(kind == null ? 0 : kind.words(), length);
            if (length < 0 || length > RecordLayout.maxLength(RING) || size > left) {
                return "breach";
            }
            if (kind == null) {
                return code < FrameKind.OPTIONAL ? "breach" : "SKIPPED";
            }
            byte[] record = new byte[(int) size];
            memory.get(index, record);
            boolean inPool = (FrameLayout.flags(word) & RecordLayout.BLOCK) != 0;
            return inStream(record, inPool);
        }

        private static String mark(long word, int length, long position, int left) {
            if (word == FrameLayout.word0(0, RecordLayout.GOODBYE, 0, 0)) {
                return "GOODBYE";
            }
            boolean fits = length == left || length == RecordLayout.LINE - (position & RecordLayout.LINE - 1);
            return fits && word == FrameLayout.word0(0, RecordLayout.PADDING, 0, length) ? "SKIPPED" : "breach";
        }

        private String inStream(byte[] record, boolean inPool) {
            List<String> frames = new ArrayList<>();
            UnpooledByteBufAllocator heap = UnpooledByteBufAllocator.DEFAULT;
            FrameParser parser = new FrameParser(new Greeting("nobody", true), new LoopBuffers(), heap, frame -> {
                frames.add(inPool ? fromPool(frame) : describe(frame));
                frame.release();
                return true;
            });
            try {
                parser.parse(Unpooled.wrappedBuffer(record));
            } catch (ProtocolMismatch e) {
                return "breach";
            }
            assertThat(frames).hasSize(1);
            return frames.get(0);
        }

        /** A stream knows no blocks: there what describes one stands before the control data. */
        private String fromPool(Frame frame) {
            byte[] all = Arrays.copyOf(frame.control(), frame.length());
            frame.body().getBytes(0, all, frame.control().length, frame.bodyLength());
            if (frame.bodyLength() != RecordLayout.BLOCK_WORDS) {
                return "breach";
            }
            ByteBuf words = Unpooled.wrappedBuffer(all);
            int offset = words.readIntLE();
            int length = words.readIntLE();
            long slot = words.readLongLE();
            boolean there = offset >= 0 && length >= 0 && (long) offset + length <= POOL.length;
            boolean lent = (how & KEEPING) != 0 && (how & COPY_IN) == 0 && slotsKept.contains(slot);
            if (!there || slot < 0 || slot >= LAYOUT.slots() || lent) {
                return "breach";
            }
            frame.control(ByteBufUtil.getBytes(words));
            return describe(frame, Unpooled.wrappedBuffer(POOL, offset, length));
        }

        /** What gives the buffers for longer bodies, just when they are about to be copied. */
        private final class Allocator extends AbstractByteBufAllocator {

            @Override
            protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
                changes();
                assertThat(initialCapacity).isLessThanOrEqualTo(RecordLayout.maxLength(RING));
                return large.heapBuffer(initialCapacity, maxCapacity);
            }

            @Override
            protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
                changes();
                assertThat(initialCapacity).isLessThanOrEqualTo(RecordLayout.maxLength(RING));
                return large.directBuffer(initialCapacity, maxCapacity);
            }

            @Override
            public boolean isDirectBufferPooled() {
                return false;
            }
        }
    }

    /** With a block instead of a body. */
    private static byte[] block(int flags, Frame frame, int offset, int length, long slot) {
        int control = frame.control().length;
        ByteBuf all = Unpooled.buffer();
        all.writeLongLE(FrameLayout.word0(frame.kind().code(), flags, control, RecordLayout.BLOCK_WORDS + control));
        all.writeLongLE(frame.word1());
        all.writeIntLE(offset).writeIntLE(length).writeLongLE(slot).writeBytes(frame.control());
        return ByteBufUtil.getBytes(all.writeZero(FrameLayout.align(control) - control));
    }

    private static byte[] mark(int flag, int length) {
        byte[] word = ByteBufUtil.getBytes(Unpooled.buffer().writeLongLE(FrameLayout.word0(0, flag, 0, length)));
        return Arrays.copyOf(word, Math.max(word.length, length));
    }

    private static byte[] input(int how, int change, int word, byte[]... records) {
        ByteBuf all = Unpooled.buffer().writeByte(how).writeByte(change).writeShort(word);
        return ByteBufUtil.getBytes(append(all, records));
    }
}
