package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCountUtil;
import io.weir.core.FilePiece;
import io.weir.transport.stream.FrameParser;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a link has given to its channel and the other side has not acknowledged, in pieces as they were written, so that
 * keeping costs something per write and nothing per message. Loop thread only.
 */
final class Kept {

    private static final Logger LOG = LoggerFactory.getLogger(Kept.class);

    /**
     * The lowest bound. Half of it is more than what {@link Receipts} leave untold for a while and the rest of the
     * piece in which that begins: so nobody who waits for room waits for the time of {@link Receipts#LATER}.
     */
    static final long LEAST = 512 << 10;

    /**
     * Shorter pieces are copied. They are of the buffer that all links of the loop gather in: a few bytes for a peer
     * that never acknowledges would keep all of it.
     */
    private static final int SHARED = Outbox.COPIED;

    /** What a piece takes besides its bytes, about: it counts, so that the bound holds for many short ones, too. */
    private static final int OVERHEAD = 128;

    /** What a frame takes besides its bytes, about, when it has to go once more and is an object again. */
    private static final int OF_FRAME = 96;

    /**
     * One write.
     *
     * @param bytes null for a region of a file, which can be given back only if it is a piece
     * @param file null if it is none
     * @param cost what it counts for in the bound
     * @param rest how many bytes at its beginning belong to a frame that begins in the piece before
     * @param frames how many frames have begun where it ends: it is needed until they are all acknowledged
     */
    private record Piece(@Nullable ByteBuf bytes, @Nullable FilePiece file, long cost, int rest, long frames) {

        boolean canComeBack() {
            return bytes != null || file != null;
        }

        void release() {
            ReferenceCountUtil.release(bytes);
            ReferenceCountUtil.release(file);
        }
    }

    private final ByteBufAllocator allocator;
    private final long bound;
    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    private long begun;
    private long written;
    private long acknowledged;
    private long bytes;
    private int rest;
    private boolean full;

    /** Keeps nothing so far, and about so many bytes at most. */
    Kept(ByteBufAllocator allocator, long bound) {
        this.allocator = allocator;
        this.bound = Math.max(bound, LEAST);
    }

    /** Whether nothing more is to be sent; then it stays so until half of the bound is free. */
    boolean isFull() {
        full = bytes > (full ? bound / 2 : bound);
        return full;
    }

    /** A frame begins in what is written next. */
    void begin() {
        begun++;
    }

    /** So many bytes of the frame that was begun last come first in what is written next. */
    void rest(int length) {
        rest = length;
    }

    /**
     * This is written: all that there is of the frames that were begun, but for their {@link #rest}. It stays the
     * caller's.
     */
    void add(Object message) {
        long frames = begun - written;
        written = begun;
        if (begun > acknowledged) {
            boolean inMemory = message instanceof ByteBuf;
            long length = inMemory ? ((ByteBuf) message).readableBytes() : lengthOf((FileRegion) message);
            long cost = length + OVERHEAD + OF_FRAME * frames;
            pieces.add(new Piece(
                    inMemory ? own((ByteBuf) message) : null,
                    message instanceof FilePiece file ? file.retain() : null,
                    cost,
                    rest,
                    begun));
            bytes += cost;
        }
        rest = 0;
    }

    private ByteBuf own(ByteBuf written) {
        int length = written.readableBytes();
        return length > SHARED
                ? written.retainedSlice()
                : allocator.directBuffer(length, length).writeBytes(written, written.readerIndex(), length);
    }

    private static long lengthOf(FileRegion region) {
        return region.count() - region.transferred();
    }

    /**
     * The other side has had so many frames.
     *
     * @return false if it can't have, or has said so before
     */
    boolean acknowledge(long frames) {
        if (frames <= acknowledged || frames > written) {
            return false;
        }
        acknowledged = frames;
        for (Piece first; (first = pieces.peek()) != null && first.frames <= frames; ) {
            drop(pieces.remove());
        }
        return true;
    }

    /**
     * Reads what is kept, in order, and keeps nothing any longer.
     *
     * @param parser new; its sink gets whole frames only
     * @return false if something can't be given back
     */
    boolean giveBack(FrameParser parser) {
        try {
            if (!pieces.stream().allMatch(Piece::canComeBack)) {
                return false;
            }
            // What comes before the first whole frame was acknowledged with the piece before.
            Piece first = pieces.peek();
            if (first != null && first.bytes != null) {
                first.bytes.skipBytes(first.rest);
            }
            for (Piece piece; (piece = pieces.peek()) != null; drop(pieces.remove())) {
                parse(piece, parser);
            }
            return true;
        } catch (IOException e) {
            LOG.warn("A piece of a file that was under way can't be read again: {}", e.getMessage());
            return false;
        } finally {
            parser.release();
            release();
        }
    }

    /** A piece of a file was read by the kernel a moment ago, and so lies in its memory still. */
    private void parse(Piece piece, FrameParser parser) throws IOException {
        ByteBuf kept = piece.bytes;
        if (kept != null) {
            parser.parse(kept);
        } else if (piece.file != null) {
            ByteBuf read = piece.file.read(allocator);
            try {
                parser.parse(read);
            } finally {
                read.release();
            }
        }
    }

    /** Keeps nothing any longer. */
    void release() {
        for (Piece each; (each = pieces.poll()) != null; ) {
            drop(each);
        }
    }

    private void drop(Piece piece) {
        bytes -= piece.cost;
        piece.release();
    }
}
