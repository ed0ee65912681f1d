package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What a link has given to its channel and the other side has not acknowledged. Holds references to the pieces as they were written, so that
 * keeping costs something per write and nothing per message. Loop thread only.
 */
final class Kept {

    /**
     * The lowest bound. Half of it is more than what {@link Receipts} leave untold for a while and the rest of the piece in which that
     * begins: so nobody who waits for room waits for the time of {@link Receipts#LATER}.
     */
    static final long LEAST = 512 << 10;

    /**
     * One write.
     *
     * @param bytes null for a piece of a file, which can't be given back
     * @param rest how many bytes at its beginning belong to a frame that begins in the piece before
     * @param frames how many frames have begun where it ends: it is needed until they are all acknowledged
     */
    private record Piece(@Nullable ByteBuf bytes, long length, int rest, long frames) {}

    private final long bound;
    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    private long begun;
    private long written;
    private long acknowledged;
    private long bytes;
    private int rest;
    private boolean full;

    /** Keeps nothing so far, and about so many bytes at most. */
    Kept(long bound) {
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

    /** This is written: all that there is of the frames that were begun, but for their {@link #rest}. It stays the caller's. */
    void add(Object message) {
        written = begun;
        if (begun > acknowledged) {
            Piece piece = message instanceof ByteBuf buffer
                    ? new Piece(buffer.retainedSlice(), buffer.readableBytes(), rest, begun)
                    : new Piece(null, lengthOf((FileRegion) message), rest, begun);
            pieces.add(piece);
            bytes += piece.length;
        }
        rest = 0;
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
     * @return false, before anything was read, if something can't be given back
     */
    boolean giveBack(FrameParser parser) {
        try {
            if (pieces.stream().anyMatch(piece -> piece.bytes == null)) {
                return false;
            }
            // What comes before the first whole frame was acknowledged with the piece before.
            Piece first = pieces.peek();
            if (first != null && first.bytes != null) {
                first.bytes.skipBytes(first.rest);
            }
            for (Piece piece; (piece = pieces.peek()) != null && piece.bytes != null; drop(pieces.remove())) {
                parser.parse(piece.bytes);
            }
            return true;
        } finally {
            parser.release();
            release();
        }
    }

    /** Keeps nothing any longer. */
    void release() {
        for (Piece each; (each = pieces.poll()) != null; ) {
            drop(each);
        }
    }

    private void drop(Piece piece) {
        bytes -= piece.length;
        if (piece.bytes != null) {
            piece.bytes.release();
        }
    }
}
