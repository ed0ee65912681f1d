package io.weir.transport.rdma;

import static io.weir.fuzz.Frames.append;
import static io.weir.fuzz.Frames.describe;
import static io.weir.fuzz.Frames.frame;
import static io.weir.fuzz.Frames.optional;
import static io.weir.fuzz.Frames.record;
import static io.weir.fuzz.Frames.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
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
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever message a peer sends into a slot, also one that fills the longest slot that can be set: what is found is
 * what a stream of the same bytes would hold, with the blocks that are described, or a breach; nothing behind the
 * message is read, nothing but a breach is thrown, and no buffer is kept.
 */
class SlotReaderFuzzTest {

    /** Where the slot begins; behind the message the memory ends. */
    private static final int SLOT = 64;

    private static final int LENDING = 1;

    /**
     * From here on the first byte says that the records come again and again: until the longest slot is full, if there
     * is one that is skipped, of which a slot has the most; else a few times, as there are others to be tried.
     */
    private static final int FULL = 0xf0;

    private static final int SOME = 8 << 10;

    /** A slot may hold a longer frame than a stream takes at once, so there is nothing to compare it with. */
    private static final int STREAM = 64 << 10;

    private static final List<String> BEYOND_STREAMS = List.of("a frame that is longer than a stream takes");

    /** Where a record has its kind, of which those are skipped that are negative as a byte. */
    private static final int KIND = 4;

    static Stream<byte[]> seeds() {
        Frame data = frame(FrameKind.DATA, 1).control(new byte[] {1, 2, 3}).body(text(10));
        Frame open = frame(FrameKind.OPEN, 1).words(256, 1 << 20).body(text(6));
        Frame first = frame(FrameKind.FIRST, 7).words(4000, 0).body(text(2500));
        byte[] block = block(frame(FrameKind.DATA, 1).control(new byte[5]), 0x7f00_1234_5000L, 3000, 2);
        byte[] longest = block(frame(FrameKind.FIRST, 1).words(1, 0), -8, SlotLayout.LONGEST_BLOCK, 255);
        byte[] tooLong = block(frame(FrameKind.NEXT, 1), 8, SlotLayout.LONGEST_BLOCK + 1, 0);
        byte[] nothing = block(frame(FrameKind.NEXT, 1), 8, 0, 0);
        return Stream.of(
                message(0, 0, record(data), record(open), mark(SlotLayout.RETURNED, 3), mark(SlotLayout.GOODBYE, 0)),
                message(LENDING, 0, record(data), record(data), record(open), record(first)),
                message(0, 1, block, record(data), longest),
                message(0, 2, block, tooLong),
                message(0, 2, nothing),
                message(0, 0, record(data), optional(200, 24), optional(255, 0), record(open)),
                message(0, 0, optional(127, 0)),
                message(FULL, 0, record(data), optional(128, 8)),
                // Found: one call for each of 65,535 records was more than the stack takes.
                message(FULL, 0, optional(200, 0)),
                message(0, 0, Arrays.copyOf(record(first), 24)),
                message(0, 0, new byte[7]));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void aSlotHoldsWhatAStreamWouldHold(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] message = repeated(input);
        ByteBuffer memory = ByteBuffer.allocate(SLOT + Math.max(SlotLayout.RECORDS, message.length));
        memory.put(SLOT, message);
        LoopBuffers small = new LoopBuffers();
        SlotReader reader = new SlotReader(memory, small);
        List<String> found = new ArrayList<>();
        try {
            reader.begin(SLOT, message.length);
            assertThat(reader.head(SLOT))
                    .isEqualTo(Unpooled.wrappedBuffer(message).getLongLE(0));
            while (next(reader, found, (input[0] & LENDING) != 0)) {
                // Up to the end of the slot.
            }
        } catch (ProtocolMismatch e) {
            found.add("breach");
        }
        assertThat(small.outstanding()).isZero();
        List<String> expected = expected(message);
        if (expected != BEYOND_STREAMS) {
            assertThat(found).isEqualTo(expected);
        }
    }

    private static byte[] repeated(byte[] input) {
        int records = input.length - 1 - SlotLayout.RECORDS;
        if ((input[0] & 0xff) < FULL || records <= 0 || records % Long.BYTES != 0) {
            return Arrays.copyOfRange(input, 1, input.length);
        }
        boolean skipped = records == FrameLayout.HEADER && input[1 + SlotLayout.RECORDS + KIND] < 0;
        int most = skipped ? SlotPlan.MOST_BYTES : SOME;
        int count = Math.max(1, (most - SlotLayout.RECORDS) / records);
        byte[] message = new byte[SlotLayout.RECORDS + count * records];
        System.arraycopy(input, 1, message, 0, SlotLayout.RECORDS);
        for (int i = 0; i < count; i++) {
            System.arraycopy(input, 1 + SlotLayout.RECORDS, message, SlotLayout.RECORDS + i * records, records);
        }
        return message;
    }

    private static boolean next(SlotReader reader, List<String> found, boolean lending) {
        SlotReader.Found next = reader.next();
        switch (next) {
            case NOTHING -> {
                return false;
            }
            case FRAME -> {
                Frame frame = reader.frame();
                found.add(describe(frame));
                if (lending) {
                    frame.lendNext();
                }
                frame.release();
            }
            case BLOCK -> {
                Frame frame = reader.frame(Unpooled.EMPTY_BUFFER);
                found.add(describe(frame, Unpooled.EMPTY_BUFFER) + " at " + reader.blockAddress() + ' '
                        + reader.blockKey() + ' ' + reader.blockLength() + ' ' + reader.blockNumber());
            }
            case RETURNED -> found.add("returned " + reader.returned());
            case GOODBYE -> found.add("goodbye");
        }
        return true;
    }

    /** What has to be found, by the drawing of slots and by what reads streams. */
    private static List<String> expected(byte[] message) {
        List<String> found = new ArrayList<>();
        if (message.length < SlotLayout.RECORDS || message.length % Long.BYTES != 0) {
            return List.of("breach");
        }
        ByteBuf in = Unpooled.wrappedBuffer(message).skipBytes(SlotLayout.RECORDS);
        FrameParser parser = new FrameParser(
                new Greeting("nobody", true), new LoopBuffers(), UnpooledByteBufAllocator.DEFAULT, frame -> {
                    found.add(describe(frame));
                    frame.release();
                    return true;
                });
        while (in.isReadable()) {
            if (isBeyondStreams(in)) {
                return BEYOND_STREAMS;
            }
            if (!expect(in, parser, found)) {
                found.add("breach");
                return found;
            }
        }
        return found;
    }

    private static boolean isBeyondStreams(ByteBuf in) {
        if (in.readableBytes() < FrameLayout.HEADER) {
            return false;
        }
        long word = in.getLongLE(in.readerIndex());
        return FrameKind.of(FrameLayout.kindCode(word)) != null && FrameLayout.length(word) > STREAM;
    }

    private static boolean expect(ByteBuf in, FrameParser parser, List<String> found) {
        if (in.readableBytes() < FrameLayout.HEADER) {
            return false;
        }
        long word = in.getLongLE(in.readerIndex());
        int length = FrameLayout.length(word);
        int code = FrameLayout.kindCode(word);
        FrameKind kind = FrameKind.of(code);
        if (code == 0) {
            int aux = in.getIntLE(in.readerIndex() + 12);
            in.skipBytes(SlotLayout.MARK);
            boolean returned = word == FrameLayout.word0(0, SlotLayout.RETURNED, 0, 0);
            if (!returned && word != FrameLayout.word0(0, SlotLayout.GOODBYE, 0, 0)) {
                return false;
            }
            found.add(returned ? "returned " + aux : "goodbye");
            return true;
        }
        long size = FrameLayout.size(kind == null ? 0 : kind.words(), length);
        if (length < 0 || size > in.readableBytes()) {
            return false;
        }
        ByteBuf record = in.readSlice((int) size);
        if (kind == null) {
            return code >= FrameKind.OPTIONAL;
        }
        if ((FrameLayout.flags(word) & SlotLayout.BLOCK) != 0) {
            return expectBlock(record, kind, word, found);
        }
        try {
            parser.parse(record);
            return true;
        } catch (ProtocolMismatch e) {
            return false;
        }
    }

    private static boolean expectBlock(ByteBuf record, FrameKind kind, long word, List<String> found) {
        int controlLength = FrameLayout.controlLength(word);
        if (FrameLayout.length(word) != controlLength + SlotLayout.BLOCK_WORDS) {
            return false;
        }
        long second = record.getLongLE(Long.BYTES);
        int at = FrameLayout.HEADER;
        long first = kind.words() > 0 ? record.getLongLE(at) : 0;
        long further = kind.words() > 1 ? record.getLongLE(at + Long.BYTES) : 0;
        at += Long.BYTES * kind.words();
        int length = record.getIntLE(at + 12);
        if (length < 1 || length > SlotLayout.LONGEST_BLOCK) {
            return false;
        }
        Frame frame = new Frame()
                .set(
                        kind,
                        FrameLayout.flags(word) & ~Frame.LINK_FLAGS,
                        FrameLayout.channel(second),
                        FrameLayout.aux(second))
                .words(first, further)
                .control(ByteBufUtil.getBytes(record, at + SlotLayout.BLOCK_WORDS, controlLength));
        found.add(describe(frame, Unpooled.EMPTY_BUFFER) + " at " + record.getLongLE(at) + ' ' + record.getIntLE(at + 8)
                + ' ' + length + ' ' + record.getIntLE(at + 16));
        return true;
    }

    private static byte[] block(Frame frame, long address, int length, int number) {
        int control = frame.control().length;
        ByteBuf all = Unpooled.buffer();
        all.writeLongLE(
                FrameLayout.word0(frame.kind().code(), SlotLayout.BLOCK, control, SlotLayout.BLOCK_WORDS + control));
        all.writeLongLE(frame.word1());
        if (frame.kind().words() > 0) {
            all.writeLongLE(frame.first());
        }
        all.writeLongLE(address)
                .writeIntLE(77)
                .writeIntLE(length)
                .writeLongLE(number)
                .writeBytes(frame.control());
        return ByteBufUtil.getBytes(all.writeZero(FrameLayout.align(control) - control));
    }

    private static byte[] mark(int flag, int aux) {
        return ByteBufUtil.getBytes(
                Unpooled.buffer().writeLongLE(FrameLayout.word0(0, flag, 0, 0)).writeLongLE(FrameLayout.word1(0, aux)));
    }

    private static byte[] message(int how, int blocks, byte[]... records) {
        ByteBuf all = Unpooled.buffer().writeByte(how).writeIntLE(1).writeIntLE(blocks);
        return ByteBufUtil.getBytes(append(all, records));
    }
}
