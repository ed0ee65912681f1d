package io.weir.flow;

/**
 * The sender's balance of one half of a channel: how many messages and how many bytes it may still send. A message
 * needs one item and as many bytes as it has. The other end is a {@link Window}.
 *
 * <p>A sender that {@link #items() has an item} but does not {@link #covers cover} its next message informs the
 * receiver once how many bytes that message needs: grants come in blocks, so without this a large message might wait
 * for ever.
 *
 * <p>Not thread-safe: belongs to one loop.
 */
public final class Credits {

    /** No balance ever exceeds this, so that no sum of two overflows, whatever a peer grants. */
    public static final long MAX = Long.MAX_VALUE / 2;

    private long items;
    private long bytes;

    /**
     * A balance to begin with.
     *
     * @throws IllegalArgumentException as {@link #grant} does
     */
    public Credits(long items, long bytes) {
        grant(items, bytes);
    }

    /**
     * Adds credit, as the peer sent it.
     *
     * @throws IllegalArgumentException if a number is negative or the balance would exceed {@link #MAX}; nothing is
     *     changed then
     */
    public void grant(long moreItems, long moreBytes) {
        long newItems = sum("items", items, moreItems);
        bytes = sum("bytes", bytes, moreBytes);
        items = newItems;
    }

    private static long sum(String what, long balance, long more) {
        if (more < 0 || more > MAX - balance) {
            throw new IllegalArgumentException(
                    "a grant of " + more + ' ' + what + " on top of " + balance + " is out of range: 0 to " + MAX);
        }
        return balance + more;
    }

    /** Pays for one message of this many bytes, or changes nothing and returns false. */
    public boolean tryTake(long messageBytes) {
        if (items == 0 || !covers(messageBytes)) {
            return false;
        }
        items--;
        bytes -= messageBytes;
        return true;
    }

    /** Messages that may still be sent. */
    public long items() {
        return items;
    }

    /** Bytes that may still be sent. */
    public long bytes() {
        return bytes;
    }

    /** Whether the bytes of a message are there; says nothing of the item. */
    public boolean covers(long messageBytes) {
        if (messageBytes < 0) {
            throw new IllegalArgumentException("a message of " + messageBytes + " bytes");
        }
        return messageBytes <= bytes;
    }

    @Override
    public String toString() {
        return "Credits[" + items + " items, " + bytes + " B]";
    }
}
