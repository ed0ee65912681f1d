package io.weir.flow;

/**
 * The receiver's account of one half of a channel. It decides what the sender, who holds {@link Credits}, may send:
 * items follow the subscriber's demand, bytes follow the memory that arrived messages occupy.
 *
 * <p>Whoever tells the window something asks it afterwards, at the latest when the loop's turn ends, for
 * {@link #itemsToGrant()} and {@link #bytesToGrant()}, and sends what these return: they count it as granted.
 *
 * <p><b>Items.</b> {@code outstanding} ones are granted and have not arrived, {@code buffered} ones have arrived and
 * are not delivered. Beyond the initial grant, always
 * {@code outstanding + buffered <= min(maxItems, demand + prefetch)}. So the sender is never asked for more than the
 * subscriber has requested, and empty messages can't pile up either.
 *
 * <p><b>Bytes.</b> Every byte of the window is in one place: granted and unused (at the sender or on its way), held by
 * messages, or free and not yet granted back. Always {@code granted + held + free == maxBytes + lent}. {@code lent} is
 * zero unless the sender's next message exceeds the window; then the missing bytes are lent for this one message once
 * nothing is held any more, and what is freed next pays them back. So a half holds at most {@code maxBytes} or one such
 * message.
 *
 * <p><b>No deadlock.</b> When everything was freed, {@code granted + free >= maxBytes}; so a {@link #want} up to that
 * is met by granting what is free, and a larger one by lending the rest.
 *
 * <p>Not thread-safe: belongs to one loop.
 */
public final class Window {

    /** The demand of a subscriber that wants everything; it never decreases. */
    public static final long UNBOUNDED = Long.MAX_VALUE;

    private final long maxItems;
    private long maxBytes;
    private long byteBlock;

    private long demand;
    private long prefetch;
    private long outstanding;
    private long buffered;

    private long granted;
    private long held;
    private long free;
    private long lent;
    private long wanted;

    /**
     * A window whose sender begins with {@code initialItems} items and {@code maxBytes} bytes of credit.
     *
     * @param maxItems items that may be granted or buffered at once, at least 1
     * @param maxBytes bytes that may be granted or held at once, at least 1
     * @param initialItems items granted before there is any demand, 0 to {@code maxItems}
     */
    public Window(long maxItems, long maxBytes, long initialItems) {
        this.maxItems = within("maxItems", maxItems, 1, Credits.MAX);
        this.outstanding = within("initialItems", initialItems, 0, maxItems);
        this.granted = within("maxBytes", maxBytes, 1, Credits.MAX);
        limit(maxBytes);
    }

    private void limit(long bytes) {
        maxBytes = bytes;
        byteBlock = Math.max(1, bytes / 4);
    }

    /** Bytes that may be granted or held at once. */
    public long maxBytes() {
        return maxBytes;
    }

    /** From now on, so many bytes more may be granted or held at once; the next grant has them. */
    public void grow(long bytes) {
        limit(within("maxBytes", saturatedSum(maxBytes, within("grow", bytes, 0, Credits.MAX)), 1, Credits.MAX));
        free += bytes;
    }

    /** The subscriber asks for {@code n} more items, at least 1. Everything above {@link #UNBOUNDED} counts as that. */
    public void request(long n) {
        demand = saturatedSum(demand, within("request", n, 1, UNBOUNDED));
    }

    /** From now on, {@code n} items may be granted beyond the demand; 0 to begin with. */
    public void prefetch(long n) {
        prefetch = within("prefetch", n, 0, UNBOUNDED);
    }

    /**
     * A message has arrived, or the first piece of one that is this long as a whole. It is buffered now, and its bytes
     * are held.
     *
     * @throws CreditExceeded if the sender was not entitled to send it; nothing is changed then
     */
    public void arrived(long bytes) {
        if (outstanding == 0 || bytes < 0 || bytes > granted) {
            throw new CreditExceeded(bytes, outstanding, granted);
        }
        outstanding--;
        buffered++;
        granted -= bytes;
        held += bytes;
    }

    /** Whether the subscriber has asked for an item that was not delivered yet. */
    public boolean mayDeliver() {
        return demand > 0;
    }

    /**
     * One buffered item is handed to the subscriber. Its bytes stay held until they are {@link #freed}.
     *
     * @throws IllegalStateException if nothing is buffered or nothing was asked for
     */
    public void delivered() {
        if (demand == 0 || buffered == 0) {
            throw new IllegalStateException(
                    "delivered an item, with a demand of " + demand + " and " + buffered + " buffered");
        }
        buffered--;
        if (demand != UNBOUNDED) {
            demand--;
        }
    }

    /**
     * Bytes of arrived messages are no longer held.
     *
     * @throws IllegalStateException if that many are not held: something was released twice
     */
    public void freed(long bytes) {
        if (bytes < 0 || bytes > held) {
            throw new IllegalStateException("freed " + bytes + " bytes of " + held + " held");
        }
        long repaid = Math.min(lent, bytes);
        held -= bytes;
        lent -= repaid;
        free += bytes - repaid;
    }

    /**
     * The sender says that its next message needs this many bytes of credit in all. Holds until that much is granted;
     * a later call replaces it, and 0 is the same as never having said it. The caller has checked the number against
     * the longest message that it accepts and against the memory of the node, of which {@code bytes - maxBytes} may be
     * lent.
     */
    public void want(long bytes) {
        wanted = within("wanted bytes", bytes, 0, Credits.MAX);
    }

    /**
     * Items to grant now, or 0. Grants are rare because they wait until the sender has used half of what it may have; a
     * sender that has nothing is served at once.
     */
    public long itemsToGrant() {
        long target = Math.min(maxItems, saturatedSum(demand, prefetch)) - buffered;
        if (outstanding >= target || outstanding > target / 2) {
            return 0;
        }
        long grant = target - outstanding;
        outstanding = target;
        return grant;
    }

    /** Bytes to grant now, or 0: a quarter of the window at least, or what the sender's next message waits for. */
    public long bytesToGrant() {
        lendIfNeeded();
        boolean meetsWant = granted < wanted && granted + free >= wanted;
        if (free < byteBlock && !meetsWant) {
            return 0;
        }
        long grant = free;
        granted += grant;
        free = 0;
        if (granted >= wanted) {
            wanted = 0;
        }
        return grant;
    }

    private void lendIfNeeded() {
        long missing = wanted - granted - free;
        if (missing > 0 && held == 0) {
            lent += missing;
            free += missing;
        }
    }

    /** What the subscriber has asked for and was not delivered, or {@link #UNBOUNDED}. */
    public long demand() {
        return demand;
    }

    /** Items granted that have not arrived. */
    public long outstanding() {
        return outstanding;
    }

    /** Items arrived that are not delivered. */
    public long buffered() {
        return buffered;
    }

    /** Bytes granted that have not arrived. */
    public long granted() {
        return granted;
    }

    /** Bytes of messages that have arrived and are not freed, delivered or not. */
    public long held() {
        return held;
    }

    /** Bytes that the sender has, or had for what is held, beyond the window. */
    public long lent() {
        return lent;
    }

    /** What the sender says that its next message needs, as long as less is granted; 0 then. */
    public long wanted() {
        return wanted;
    }

    private static long within(String what, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + ": " + value + " is out of range, " + least + " to " + most);
        }
        return value;
    }

    private static long saturatedSum(long a, long b) {
        return b > UNBOUNDED - a ? UNBOUNDED : a + b;
    }

    @Override
    public String toString() {
        return "Window[demand=" + (demand == UNBOUNDED ? "unbounded" : demand) + ", outstanding=" + outstanding
                + ", buffered="
                + buffered + ", granted=" + granted + " B, held=" + held + " B, free=" + free + " B, lent=" + lent
                + " B, wanted="
                + wanted + " B]";
    }
}
