package io.weir.transport.rdma;

import static io.weir.transport.nativelib.Bytes.LONGS;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
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
import org.jspecify.annotations.Nullable;

/**
 * Goes through the records of slots. Nobody else can change a slot while it is read, but what stands in it is the
 * peer's: nothing is used before it was checked. Belongs to the loop's thread.
 */
final class SlotReader {

    /** What {@link #next} has found. */
    enum Found {
        /** The slot has ended. */
        NOTHING,
        /** A frame with its body: {@link #frame}. */
        FRAME,
        /** A frame whose body lies in a block: {@link #blockAddress} and so on, then {@link #frame(ByteBuf)}. */
        BLOCK,
        /** The block of the number {@link #returned} is given back. */
        RETURNED,
        GOODBYE
    }

    private final LoopBuffers small;
    private final ReusedFrame frames = new ReusedFrame();
    private ByteBuffer memory;

    private int at;
    private int end;

    /** What is known of the record that was found; it begins here. */
    private int index;

    private long word;
    private @Nullable FrameKind kind;

    SlotReader(ByteBuffer memory, LoopBuffers small) {
        this.memory = memory;
        this.small = small;
    }

    /**
     * Goes to the beginning of a slot.
     *
     * @param bytes how many a message has filled
     * @throws ProtocolMismatch if that is no message
     */
    void begin(int slotIndex, int bytes) {
        if (bytes < SlotLayout.RECORDS || bytes % Long.BYTES != 0) {
            throw new ProtocolMismatch("the peer has sent a message of " + bytes + " bytes, which holds no records");
        }
        at = slotIndex + SlotLayout.RECORDS;
        end = slotIndex + bytes;
    }

    /**
     * What this slot's beginning says: slots that are given back, and in the upper half how many blocks are described.
     */
    long head(int slotIndex) {
        return (long) LONGS.get(memory, slotIndex);
    }

    /**
     * Looks at the next record, and goes behind it.
     *
     * @throws ProtocolMismatch if there is what can't be
     */
    Found next() {
        Found found = null;
        while (found == null) {
            found = look();
        }
        return found;
    }

    /** As {@link #next}; null: it is of a kind that is skipped. */
    private @Nullable Found look() {
        int left = end - at;
        if (left == 0) {
            return Found.NOTHING;
        }
        if (left < FrameLayout.HEADER) {
            throw new ProtocolMismatch("a message of the peer ends within a record");
        }
        index = at;
        word = (long) LONGS.get(memory, at);
        int code = FrameLayout.kindCode(word);
        int length = FrameLayout.length(word);
        if (code == 0) {
            at += SlotLayout.MARK;
            return mark();
        }
        FrameKind known = FrameKind.of(code);
        if (known == null && code < FrameKind.OPTIONAL) {
            throw new ProtocolMismatch("the peer has sent a frame of the unknown kind " + code);
        }
        long size = FrameLayout.size(known == null ? 0 : known.words(), length);
        if (length < 0 || size > left) {
            throw new ProtocolMismatch("the peer has sent a frame of " + length + " bytes in " + left + " bytes");
        }
        at += (int) size;
        if (known == null) {
            return null;
        }
        kind = known;
        boolean block = (FrameLayout.flags(word) & SlotLayout.BLOCK) != 0;
        int body = bodyLength(block);
        if (body < 0 || (block && body != 0)) {
            throw new ProtocolMismatch("the peer has sent a frame of " + length + " bytes with "
                    + FrameLayout.controlLength(word) + " bytes of control data" + (block ? " and a block" : ""));
        }
        if (block) {
            checkBlock();
            return Found.BLOCK;
        }
        return Found.FRAME;
    }

    private Found mark() {
        if (word == FrameLayout.word0(0, SlotLayout.RETURNED, 0, 0)) {
            return Found.RETURNED;
        }
        if (word == FrameLayout.word0(0, SlotLayout.GOODBYE, 0, 0)) {
            return Found.GOODBYE;
        }
        throw new ProtocolMismatch("the peer has sent a record that can't be: " + Long.toHexString(word));
    }

    private void checkBlock() {
        int length = blockLength();
        if (length < 1 || length > SlotLayout.LONGEST_BLOCK) {
            throw new ProtocolMismatch("the peer describes a block of " + length + " bytes; from 1 to "
                    + SlotLayout.LONGEST_BLOCK + " are allowed");
        }
    }

    /** The number of the block that is given back. */
    int returned() {
        return FrameLayout.aux((long) LONGS.get(memory, index + 8));
    }

    /** Where the block begins at the peer. */
    long blockAddress() {
        return (long) LONGS.get(memory, description());
    }

    /** By what the peer's device knows the block's memory. */
    int blockKey() {
        return (int) (long) LONGS.get(memory, description() + 8);
    }

    int blockLength() {
        return (int) ((long) LONGS.get(memory, description() + 8) >>> 32);
    }

    /** By what the peer wants it given back. */
    int blockNumber() {
        return (int) (long) LONGS.get(memory, description() + 16);
    }

    /** The frame with its own body, which belongs to the caller; until the next one is made. */
    Frame frame() {
        int length = bodyLength(false);
        int from = description() + FrameLayout.controlLength(word);
        ContentMemory lends = known() == FrameKind.DATA ? frames.lends(length, small) : null;
        if (lends != null) {
            Bytes.copy(memory, from, lends.bytes(), 0, length);
            return frame(Unpooled.EMPTY_BUFFER).lend(lends, length);
        }
        return frame(length == 0 ? Unpooled.EMPTY_BUFFER : body(from, length));
    }

    /** The frame with this body; until the next one is made. */
    Frame frame(ByteBuf body) {
        FrameKind known = known();
        long word1 = (long) LONGS.get(memory, index + 8);
        int flags = FrameLayout.flags(word);
        int wordsAt = index + FrameLayout.HEADER;
        Frame frame = frames.next()
                .set(known, flags & ~Frame.LINK_FLAGS, FrameLayout.channel(word1), FrameLayout.aux(word1), body)
                .words(
                        known.words() == 0 ? 0 : (long) LONGS.get(memory, wordsAt),
                        known.words() < 2 ? 0 : (long) LONGS.get(memory, wordsAt + 8));
        int controlLength = FrameLayout.controlLength(word);
        if (controlLength != 0) {
            byte[] control = new byte[controlLength];
            boolean block = (flags & SlotLayout.BLOCK) != 0;
            Bytes.copy(memory, description() + (block ? SlotLayout.BLOCK_WORDS : 0), control, 0, controlLength);
            frame.control(control);
        }
        return frame;
    }

    private int bodyLength(boolean block) {
        return FrameLayout.length(word) - FrameLayout.controlLength(word) - (block ? SlotLayout.BLOCK_WORDS : 0);
    }

    /** Where the description of a block stands, or else control data and body. */
    private int description() {
        return index + FrameLayout.HEADER + 8 * known().words();
    }

    private FrameKind known() {
        FrameKind known = kind;
        if (known == null) {
            throw new IllegalStateException("no frame was found");
        }
        return known;
    }

    private ByteBuf body(int from, int length) {
        ByteBuf body = length <= LoopBuffers.LARGEST
                ? small.take(length)
                : PooledByteBufAllocator.DEFAULT.buffer(length, length).setIndex(0, length);
        Bytes.copy(memory, from, body, length);
        return body;
    }

    /** Gives up the way to the memory: what is called after this fails, without touching anything. */
    void end(ByteBuffer nothing) {
        memory = nothing;
    }
}
