package io.weir.transport.shm;

import static io.weir.transport.shm.SegmentLayout.LONGS;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.ProtocolMismatch;
import io.weir.core.ReceiveBuffers;
import java.nio.ByteBuffer;

/**
 * The receiver's end of a ring. Belongs to the loop's thread. Trusts nothing in it: each word is read once, checked, and then
 * used.
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
    private final ReceiveBuffers small;
    private final ByteBufAllocator large;
    private final ReceivedBlocks blocks;
    private ByteBuffer memory;

    /** Where the next record is expected, in bytes since the beginning. */
    private long position;
    /** What the sender knows of it. */
    private long told;

    RingReader(Segment segment, ReceiveBuffers small, ByteBufAllocator large, ReceivedBlocks blocks) {
        this.memory = segment.mapping().memory();
        this.ring = segment.layout().ring();
        this.size = segment.layout().ringSize();
        this.mask = size - 1;
        this.maxLength = RecordLayout.maxLength(size);
        this.small = small;
        this.large = large;
        this.blocks = blocks;
    }

    /** Whether there is a record. */
    boolean hasNext() {
        return (long) LONGS.getAcquire(memory, index()) != 0;
    }

    /** How far we have read. */
    long position() {
        return position;
    }

    /**
     * Takes the next record out of the ring.
     *
     * @param frame is filled when a frame is found; the caller owns its body
     * @throws ProtocolMismatch if the ring holds what can't be
     */
    Found read(Frame frame) {
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
        fill(frame, kind, word, index, start);
        advance(bytes);
        return Found.FRAME;
    }

    /** Tells the sender how far we have read. */
    void tell() {
        if (told != position) {
            told = position;
            LONGS.setRelease(memory, SegmentLayout.READ_POSITION, position);
        }
    }

    /** Whether the sender waits for the room that we told of; a full fence must lie between. Asks for no wake-up twice. */
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

    private void fill(Frame frame, FrameKind kind, long word, int index, int start) {
        int flags = FrameLayout.flags(word);
        int length = FrameLayout.length(word);
        int controlLength = FrameLayout.controlLength(word);
        long word1 = (long) LONGS.get(memory, index + 8);
        frame.set(kind, flags & ~Frame.LINK_FLAGS, FrameLayout.channel(word1), FrameLayout.aux(word1));
        if (kind.words() != 0) {
            long first = (long) LONGS.get(memory, index + FrameLayout.HEADER);
            long second = kind.words() > 1 ? (long) LONGS.get(memory, index + FrameLayout.HEADER + 8) : 0;
            frame.words(first, second);
        }
        int at = index + start;
        int bodyLength = length - controlLength;
        if ((flags & RecordLayout.BLOCK) != 0) {
            bodyLength -= RecordLayout.BLOCK_WORDS;
            checkControl(bodyLength == 0, word);
            at += RecordLayout.BLOCK_WORDS;
        } else {
            checkControl(bodyLength >= 0, word);
        }
        if (controlLength != 0) {
            byte[] control = new byte[controlLength];
            Bytes.copy(memory, at, control, 0, controlLength);
            frame.control(control);
        }
        if ((flags & RecordLayout.BLOCK) != 0) {
            long place = (long) LONGS.getOpaque(memory, index + start);
            long slot = (long) LONGS.getOpaque(memory, index + start + 8);
            frame.body(blocks.receive(place, slot));
        } else if (bodyLength != 0) {
            frame.body(copyOut(at + controlLength, bodyLength));
        }
    }

    private ByteBuf copyOut(int index, int length) {
        ByteBuf body = length <= ReceiveBuffers.LARGEST ? small.take(length) : large.buffer(length, length).setIndex(0, length);
        Bytes.copy(memory, index, body, length);
        return body;
    }

    private Found mark(long word) {
        if (word == FrameLayout.word0(0, RecordLayout.GOODBYE, 0, 0)) {
            return Found.GOODBYE;
        }
        int rest = size - ((int) position & mask);
        if (word != FrameLayout.word0(0, RecordLayout.PADDING, 0, rest)) {
            throw new ProtocolMismatch("the shared ring holds a record that can't be: " + Long.toHexString(word));
        }
        advance(rest);
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

    private static void checkControl(boolean fits, long word) {
        if (!fits) {
            throw new ProtocolMismatch("the shared ring holds a frame of " + FrameLayout.length(word) + " bytes with "
                    + FrameLayout.controlLength(word) + " bytes of control data");
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
