package io.weir.flow;

/**
 * The plan of cutting a message into pieces: where the piece begins whose turn it is, and how long it is. Every piece
 * but the last is as long as the limit allows in multiples of 8, so that all begin aligned.
 *
 * <p>Asking changes nothing: a piece for which the link has no room is asked for again later, also with another limit
 * when the message goes on over another link. Not thread-safe: belongs to one loop.
 */
public final class Fragmenter {

    private final long total;
    private long offset;
    private int max;

    /**
     * A plan that stands before the first piece.
     *
     * @param total the message's bytes; with 0 there is no piece
     * @param max the longest piece in bytes, at least 8
     */
    public Fragmenter(long total, int max) {
        if (total < 0) {
            throw new IllegalArgumentException("a message of " + total + " bytes can't be cut");
        }
        this.total = total;
        limit(max);
    }

    /** The longest piece from now on in bytes, at least 8. */
    public void limit(int longest) {
        if (longest < Long.BYTES) {
            throw new IllegalArgumentException("pieces of " + longest + " bytes are too short: at least " + Long.BYTES);
        }
        max = longest & -Long.BYTES;
    }

    /** Whether there is a piece left. */
    public boolean hasNext() {
        return offset < total;
    }

    /** Where the next piece begins. */
    public long offset() {
        return offset;
    }

    /** Bytes of the next piece; 0 when there is none. */
    public int length() {
        return (int) Math.min(max, total - offset);
    }

    /** The piece is sent: goes on to the one behind it. */
    public void next() {
        if (!hasNext()) {
            throw new IllegalStateException("all " + total + " bytes are cut already");
        }
        offset += length();
    }
}
