package io.weir.flow;

/**
 * The plan of joining the pieces of one message, which arrive in order: where each goes, and when all are there. What a
 * sender claims is checked. Not thread-safe: belongs to one loop.
 */
public final class Reassembler {

    private final long total;
    private long received;

    /**
     * A plan without any piece yet.
     *
     * @param total the message's bytes, as the sender says
     * @param max the longest message that is accepted
     * @throws IllegalArgumentException unless {@code total} is between 1 and {@code max}
     */
    public Reassembler(long total, long max) {
        if (total < 1 || total > max) {
            throw new IllegalArgumentException(
                    "a message in pieces of " + total + " bytes is out of range: 1 to " + max);
        }
        this.total = total;
    }

    /**
     * Takes the next piece.
     *
     * @return where it goes in the message
     * @throws IllegalArgumentException if it is empty or longer than what is missing; nothing is changed then
     */
    public long accept(int length) {
        if (length < 1 || length > total - received) {
            throw new IllegalArgumentException("a piece of " + length + " bytes after " + received + " of " + total);
        }
        long offset = received;
        received += length;
        return offset;
    }

    /** Whether every byte is there. */
    public boolean complete() {
        return received == total;
    }

    /** Bytes that are still to come. */
    public long missing() {
        return total - received;
    }
}
