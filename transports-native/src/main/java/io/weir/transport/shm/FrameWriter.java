package io.weir.transport.shm;

import static io.weir.transport.nativelib.Bytes.ARRAY_LONGS;
import static io.weir.transport.shm.SegmentLayout.LONGS;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameLayout;
import io.weir.transport.nativelib.Bytes;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts frames into the ring: with their body if it is short, else with the description of a block that holds it. A body
 * that lies in no block of ours is copied, into a block if one is free, else into the ring. Belongs to the loop's
 * thread.
 */
final class FrameWriter {

    private final RingWriter ring;
    private final BlockPool pool;
    private final BlockAllocator allocator;
    private final int maxFrame;

    /** What the frame that was refused last needs. */
    private int neededBytes;

    private boolean neededSlot;

    FrameWriter(RingWriter ring, BlockPool pool, BlockAllocator allocator, int maxFrame) {
        this.ring = ring;
        this.pool = pool;
        this.allocator = allocator;
        this.maxFrame = maxFrame;
    }

    /**
     * Writes this frame, to be published by the end of the turn.
     *
     * @return whether there was room; the frame's body belongs to us then, otherwise nothing has changed
     * @throws IllegalArgumentException if this frame can never be taken
     * @throws io.weir.core.ProtocolMismatch if the peer's side of the ring is broken
     */
    boolean write(Frame frame) {
        if (frame.isLent()) {
            checkFrame(frame);
            return writeInline(frame, null, frame.bodyLength());
        }
        ByteBuf body = frame.body();
        int bodyLength = body.readableBytes();
        checkFrame(frame);
        return bodyLength < BlockAllocator.LEAST
                ? writeInline(frame, body, bodyLength)
                : writeLong(frame, body, bodyLength);
    }

    /** Whether the frame that was refused last would be taken now. */
    boolean wouldTake() {
        return ring.hasRoom(neededBytes) && (!neededSlot || pool.hasSlot());
    }

    private void checkFrame(Frame frame) {
        if (frame.hasRegion()) {
            throw new IllegalArgumentException("shared memory takes no file regions: " + frame);
        }
        if ((frame.flags() & Frame.LINK_FLAGS) != 0) {
            throw new IllegalArgumentException("the flags of " + frame + " are the link's own");
        }
        if (frame.control().length > Math.min(FrameLayout.MAX_CONTROL, maxFrame)) {
            throw tooLong(frame);
        }
    }

    private IllegalArgumentException tooLong(Frame frame) {
        return new IllegalArgumentException(frame + " exceeds " + maxFrame + " bytes");
    }

    /**
     * Longer than what HotSpot inlines (325 bytes of code), and meant to be: so it is always compiled on its own, with
     * what it calls for short bodies inlined; their words are written out, as a loop costs more than these few moves.
     * At the end of a deep pipeline inlining stops, and if that happened in here, each access of the ring would be a
     * call.
     *
     * @param body null: it is lent with the frame
     */
    @SuppressWarnings("fallthrough")
    private boolean writeInline(Frame frame, @Nullable ByteBuf body, int bodyLength) {
        int controlLength = frame.control().length;
        int length = controlLength + bodyLength;
        if (length > maxFrame) {
            throw tooLong(frame);
        }
        int start = FrameLayout.HEADER + 8 * frame.kind().words();
        int bytes = start + FrameLayout.align(length);
        int index = claim(bytes);
        if (index < 0) {
            return false;
        }
        ByteBuffer to = ring.memory();
        int toIndex = index + start + controlLength;
        if (bodyLength <= Bytes.WORDWISE && (body == null || body.hasArray())) {
            byte[] from = body == null ? frame.content().bytes() : body.array();
            int fromIndex = body == null ? 0 : body.arrayOffset() + body.readerIndex();
            switch (bodyLength >> 3) {
                case 12:
                    LONGS.set(to, toIndex + 88, (long) ARRAY_LONGS.get(from, fromIndex + 88));
                case 11:
                    LONGS.set(to, toIndex + 80, (long) ARRAY_LONGS.get(from, fromIndex + 80));
                case 10:
                    LONGS.set(to, toIndex + 72, (long) ARRAY_LONGS.get(from, fromIndex + 72));
                case 9:
                    LONGS.set(to, toIndex + 64, (long) ARRAY_LONGS.get(from, fromIndex + 64));
                case 8:
                    LONGS.set(to, toIndex + 56, (long) ARRAY_LONGS.get(from, fromIndex + 56));
                case 7:
                    LONGS.set(to, toIndex + 48, (long) ARRAY_LONGS.get(from, fromIndex + 48));
                case 6:
                    LONGS.set(to, toIndex + 40, (long) ARRAY_LONGS.get(from, fromIndex + 40));
                case 5:
                    LONGS.set(to, toIndex + 32, (long) ARRAY_LONGS.get(from, fromIndex + 32));
                case 4:
                    LONGS.set(to, toIndex + 24, (long) ARRAY_LONGS.get(from, fromIndex + 24));
                case 3:
                    LONGS.set(to, toIndex + 16, (long) ARRAY_LONGS.get(from, fromIndex + 16));
                case 2:
                    LONGS.set(to, toIndex + 8, (long) ARRAY_LONGS.get(from, fromIndex + 8));
                case 1:
                    LONGS.set(to, toIndex, (long) ARRAY_LONGS.get(from, fromIndex));
                default:
            }
            for (int at = bodyLength & ~7; at < bodyLength; at++) {
                to.put(toIndex + at, from[fromIndex + at]);
            }
        } else if (body == null) {
            Bytes.copy(frame.content().bytes(), 0, to, toIndex, bodyLength);
        } else if (bodyLength != 0) {
            Bytes.copy(body, to, toIndex, bodyLength);
        }
        writeHead(frame, index, index + start);
        ring.commit(index, FrameLayout.word0(frame.kind().code(), frame.flags(), controlLength, length), bytes);
        if (body != null) {
            body.release();
        }
        return true;
    }

    private boolean writeLong(Frame frame, ByteBuf body, int bodyLength) {
        boolean inPool = pool.contains(body);
        if (!inPool && frame.control().length + bodyLength > maxFrame) {
            throw tooLong(frame);
        }
        int index = claim(blockBytes(frame));
        if (index < 0) {
            return false;
        }
        if (inPool) {
            return lend(frame, index, body) || insteadOfLending(frame, body, bodyLength);
        }
        BlockPool.Block block = pool.hasSlot() ? pool.take(bodyLength) : null;
        if (block == null) {
            return writeInline(frame, body, bodyLength);
        }
        ByteBuf copy = allocator.buffer(block, bodyLength, bodyLength).writerIndex(bodyLength);
        Bytes.copy(body, block.memory(bodyLength), 0, bodyLength);
        boolean lent = lend(frame, index, copy);
        assert lent : "only the loop takes slots";
        body.release();
        return true;
    }

    /** All slots are in use. */
    private boolean insteadOfLending(Frame frame, ByteBuf body, int bodyLength) {
        if (frame.control().length + bodyLength <= maxFrame) {
            return writeInline(frame, body, bodyLength);
        }
        neededBytes = blockBytes(frame);
        neededSlot = true;
        return false;
    }

    private static int blockBytes(Frame frame) {
        return FrameLayout.HEADER
                + 8 * frame.kind().words()
                + RecordLayout.BLOCK_WORDS
                + FrameLayout.align(frame.control().length);
    }

    private boolean lend(Frame frame, int index, ByteBuf block) {
        int offset = pool.offsetOf(block);
        int slot = pool.lend(block);
        if (slot < 0) {
            return false;
        }
        int controlLength = frame.control().length;
        int at = index + FrameLayout.HEADER + 8 * frame.kind().words();
        ByteBuffer memory = ring.memory();
        LONGS.set(memory, at, offset | (long) block.readableBytes() << 32);
        LONGS.set(memory, at + 8, (long) slot);
        writeHead(frame, index, at + RecordLayout.BLOCK_WORDS);
        int flags = frame.flags() | RecordLayout.BLOCK;
        int length = RecordLayout.BLOCK_WORDS + controlLength;
        ring.commit(index, FrameLayout.word0(frame.kind().code(), flags, controlLength, length), blockBytes(frame));
        // To use a block takes its receiver far longer than to fetch a line: it begins while we fill the next one.
        ring.publish();
        return true;
    }

    /** Everything but the first word, the body and what describes it. */
    private void writeHead(Frame frame, int index, int controlIndex) {
        ByteBuffer memory = ring.memory();
        LONGS.set(memory, index + 8, frame.word1());
        int words = frame.kind().words();
        if (words > 0) {
            LONGS.set(memory, index + FrameLayout.HEADER, frame.first());
        }
        if (words > 1) {
            LONGS.set(memory, index + FrameLayout.HEADER + 8, frame.second());
        }
        byte[] control = frame.control();
        if (control.length != 0) {
            Bytes.copy(control, 0, memory, controlIndex, control.length);
        }
    }

    private int claim(int bytes) {
        int index = ring.claim(bytes);
        if (index < 0) {
            neededBytes = bytes;
            neededSlot = false;
        }
        return index;
    }
}
