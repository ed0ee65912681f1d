package io.weir.transport.shm;

import static io.weir.transport.nativelib.Bytes.ARRAY_LONGS;
import static io.weir.transport.shm.SegmentLayout.LONGS;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.ContentMemory;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.LoopBuffers;
import io.weir.core.ProtocolMismatch;
import io.weir.core.ReusedFrame;
import io.weir.transport.nativelib.Bytes;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * The receiver's end of a ring. Belongs to the loop's thread. Trusts nothing in it: each word is read once, checked,
 * and then used.
 */
final class RingReader {

    /** What {@link #read} found. */
    enum Found {
        NOTHING,
        FRAME,
        /** Something that is no frame, or none that this version knows. */
        SKIPPED,
        GOODBYE
    }

    private final int ring;
    private final int size;
    private final int mask;
    private final int maxLength;
    private final LoopBuffers small;
    private final ByteBufAllocator large;
    private final LentBlocks blocks;
    private ByteBuffer memory;
    private final ReusedFrame frames = new ReusedFrame();

    /** Where the next record is expected, in bytes since the beginning. */
    private long position;
    /** What the sender knows of it. */
    private long told;

    /** Begins where the sender does. */
    RingReader(Segment segment, LoopBuffers small, ByteBufAllocator large, LentBlocks blocks) {
        this(segment, small, large, blocks, 0);
    }

    /**
     * Reads a ring that was in use already.
     *
     * @param start where a record begins, in bytes since the beginning
     */
    RingReader(Segment segment, LoopBuffers small, ByteBufAllocator large, LentBlocks blocks, long start) {
        this.position = start;
        this.told = start;
        this.memory = segment.mapping().memory();
        this.ring = segment.layout().ring();
        this.size = segment.layout().ringSize();
        this.mask = size - 1;
        this.maxLength = RecordLayout.maxLength(size);
        this.small = small;
        this.large = large;
        this.blocks = blocks;
    }

    /** The frame that was read last; until the next one is read. */
    Frame frame() {
        return frames.current();
    }

    /** Whether there is a record. */
    boolean hasNext() {
        return (long) LONGS.getAcquire(memory, index()) != 0;
    }

    /** Whether the next record is a message or credit for one of these channels, or is nothing to anybody. */
    boolean nextIsFor(IntPredicate channels) {
        int index = index();
        long word = (long) LONGS.getAcquire(memory, index);
        int kind = FrameLayout.kindCode(word);
        if (kind == FrameKind.DATA.code() || kind == FrameKind.CREDIT.code()) {
            return channels.test(FrameLayout.channel((long) LONGS.get(memory, index + 8)));
        }
        return kind == 0 && word != 0 && word != FrameLayout.word0(0, RecordLayout.GOODBYE, 0, 0);
    }

    /** How far we have read. */
    long position() {
        return position;
    }

    /**
     * Takes the next record out of the ring. If it is a frame, {@link #frame} holds it, and the caller owns its body.
     *
     * @throws ProtocolMismatch if the ring holds what can't be
     */
    Found read() {
        int index = index();
        long word = (long) LONGS.getAcquire(memory, index);
        if (word == 0) {
            return Found.NOTHING;
        }
        int kindCode = FrameLayout.kindCode(word);
        if (kindCode == 0) {
            return mark(word);
        }
        int length = FrameLayout.length(word);
        FrameKind kind = FrameKind.of(kindCode);
        if (kind == null) {
            return skip(kindCode, length);
        }
        int start = FrameLayout.HEADER + 8 * kind.words();
        int bytes = start + FrameLayout.align(length);
        checkBounds(length, bytes);
        fill(kind, word, index, start);
        advance(bytes);
        return Found.FRAME;
    }

    /** Informs the sender how far we have read. */
    void tell() {
        if (told != position) {
            told = position;
            LONGS.setRelease(memory, SegmentLayout.READ_POSITION, position);
        }
    }

    /**
     * Whether the sender waits for the room that we told of; sure only behind a full fence. Asks for no wake-up twice.
     */
    boolean senderWaits() {
        return Flag.take(memory, SegmentLayout.SENDER_WAITS);
    }

    /** Says whether we want to be woken when the sender publishes. */
    void sleeps(boolean sleeps) {
        Flag.set(memory, SegmentLayout.RECEIVER_SLEEPS, sleeps);
    }

    /** Gives up the way to the memory: what is called after this fails, without touching anything. */
    void end(ByteBuffer nothing) {
        memory = nothing;
    }

    /** Long on purpose, as {@link FrameWriter}'s counterpart is. */
    @SuppressWarnings("fallthrough")
    private void fill(FrameKind kind, long word, int index, int start) {
        int flags = FrameLayout.flags(word);
        boolean inPool = (flags & RecordLayout.BLOCK) != 0;
        int controlLength = FrameLayout.controlLength(word);
        int bodyLength = FrameLayout.length(word) - controlLength - (inPool ? RecordLayout.BLOCK_WORDS : 0);
        if (bodyLength < 0 || (inPool && bodyLength != 0)) {
            throw new ProtocolMismatch("the shared ring holds a frame of " + FrameLayout.length(word) + " bytes with "
                    + controlLength + " bytes of control data" + (inPool ? " and a block" : ""));
        }
        ByteBuffer from = memory;
        long word1 = (long) LONGS.get(from, index + 8);
        long first = kind.words() == 0 ? 0 : (long) LONGS.get(from, index + FrameLayout.HEADER);
        long second = kind.words() < 2 ? 0 : (long) LONGS.get(from, index + FrameLayout.HEADER + 8);
        int at = index + start;
        ByteBuf body = Unpooled.EMPTY_BUFFER;
        Frame frame = frames.next();
        ContentMemory lends = kind == FrameKind.DATA && !inPool ? frames.lends(bodyLength, small) : null;
        if (inPool) {
            body = block(at);
        } else if (bodyLength > Bytes.WORDWISE) {
            if (lends != null) {
                Bytes.copy(from, at + controlLength, lends.bytes(), 0, bodyLength);
            } else {
                body = longBody(at + controlLength, bodyLength);
            }
        } else if (bodyLength != 0) {
            byte[] to;
            int toIndex = 0;
            if (lends != null) {
                to = lends.bytes();
            } else {
                body = small.take(bodyLength);
                to = body.array();
                toIndex = body.arrayOffset();
            }
            int fromIndex = at + controlLength;
            switch (bodyLength >> 3) {
                case 12:
                    ARRAY_LONGS.set(to, toIndex + 88, (long) LONGS.get(from, fromIndex + 88));
                case 11:
                    ARRAY_LONGS.set(to, toIndex + 80, (long) LONGS.get(from, fromIndex + 80));
                case 10:
                    ARRAY_LONGS.set(to, toIndex + 72, (long) LONGS.get(from, fromIndex + 72));
                case 9:
                    ARRAY_LONGS.set(to, toIndex + 64, (long) LONGS.get(from, fromIndex + 64));
                case 8:
                    ARRAY_LONGS.set(to, toIndex + 56, (long) LONGS.get(from, fromIndex + 56));
                case 7:
                    ARRAY_LONGS.set(to, toIndex + 48, (long) LONGS.get(from, fromIndex + 48));
                case 6:
                    ARRAY_LONGS.set(to, toIndex + 40, (long) LONGS.get(from, fromIndex + 40));
                case 5:
                    ARRAY_LONGS.set(to, toIndex + 32, (long) LONGS.get(from, fromIndex + 32));
                case 4:
                    ARRAY_LONGS.set(to, toIndex + 24, (long) LONGS.get(from, fromIndex + 24));
                case 3:
                    ARRAY_LONGS.set(to, toIndex + 16, (long) LONGS.get(from, fromIndex + 16));
                case 2:
                    ARRAY_LONGS.set(to, toIndex + 8, (long) LONGS.get(from, fromIndex + 8));
                case 1:
                    ARRAY_LONGS.set(to, toIndex, (long) LONGS.get(from, fromIndex));
                default:
            }
            for (int i = bodyLength & ~7; i < bodyLength; i++) {
                to[toIndex + i] = from.get(fromIndex + i);
            }
        }
        frame = frame.set(kind, flags & ~Frame.LINK_FLAGS, FrameLayout.channel(word1), FrameLayout.aux(word1), body)
                .words(first, second);
        if (lends != null) {
            frame = frame.lend(lends, bodyLength);
        }
        if (controlLength != 0) {
            frame.control(control(inPool ? at + RecordLayout.BLOCK_WORDS : at, controlLength));
        }
    }

    private byte[] control(int index, int length) {
        byte[] control = new byte[length];
        Bytes.copy(memory, index, control, 0, length);
        return control;
    }

    private ByteBuf block(int index) {
        return blocks.receive((long) LONGS.getOpaque(memory, index), (long) LONGS.getOpaque(memory, index + 8));
    }

    private ByteBuf longBody(int index, int length) {
        ByteBuf body = length <= LoopBuffers.LARGEST
                ? small.take(length)
                : large.buffer(length, length).setIndex(0, length);
        Bytes.copy(memory, index, body, length);
        return body;
    }

    private Found mark(long word) {
        if (word == FrameLayout.word0(0, RecordLayout.GOODBYE, 0, 0)) {
            return Found.GOODBYE;
        }
        int length = FrameLayout.length(word);
        int toLine = RecordLayout.LINE - ((int) position & (RecordLayout.LINE - 1));
        boolean fits = length == toLine || length == size - ((int) position & mask);
        if (!fits || word != FrameLayout.word0(0, RecordLayout.PADDING, 0, length)) {
            throw new ProtocolMismatch("the shared ring holds a record that can't be: " + Long.toHexString(word));
        }
        advance(length);
        return Found.SKIPPED;
    }

    private Found skip(int kindCode, int length) {
        if (kindCode < FrameKind.OPTIONAL) {
            throw new ProtocolMismatch("the shared ring holds a frame of the unknown kind " + kindCode);
        }
        int bytes = FrameLayout.HEADER + FrameLayout.align(length);
        checkBounds(length, bytes);
        advance(bytes);
        return Found.SKIPPED;
    }

    private void checkBounds(int length, int bytes) {
        if (length < 0 || length > maxLength || bytes > size - ((int) position & mask)) {
            throw new ProtocolMismatch("the shared ring holds a frame of " + length
                    + " bytes that does not fit at its place; at most " + maxLength + " are allowed");
        }
    }

    private void advance(int bytes) {
        position += bytes;
        if (position - told >= size >> 3) {
            tell();
        }
    }

    private int index() {
        return ring + ((int) position & mask);
    }
}
