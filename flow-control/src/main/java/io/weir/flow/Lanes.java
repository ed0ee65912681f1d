package io.weir.flow;

import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who sends next. Three queues: control goes before small, small before bulk; within a lane, first come, first served.
 * Who has more to send is added again at the tail, so that all of a lane take turns.
 *
 * <p>Bulk can't starve behind small traffic that never pauses: when {@link #PATIENCE} small items have gone before a
 * waiting bulk item, that one goes. Control has no such limit, because credits and flags are bounded by themselves.
 *
 * <p>Not thread-safe: belongs to one loop.
 *
 * @param <T> what wants to send
 */
public final class Lanes<T> {

    /**
     * Small items that may pass a waiting bulk item. With full-size pieces of 64 KiB between batches of 64 messages,
     * bulk keeps most of the bandwidth and a small message waits for one piece at most.
     */
    public static final int PATIENCE = 64;

    private final ArrayDeque<T> control = new ArrayDeque<>();
    private final ArrayDeque<T> small = new ArrayDeque<>();
    private final ArrayDeque<T> bulk = new ArrayDeque<>();
    private int passed;
    /** Items in all lanes, which is asked for with each message. */
    private int size;

    /**
     * Puts the item at the tail of its lane. The same item may stand in it more than once: that is the caller's matter.
     */
    public void add(Lane lane, T item) {
        queue(lane).addLast(item);
        size++;
    }

    /**
     * Puts an item that was just taken, but for which the link had no room, back where it was: it goes first in its
     * lane, and a bulk item whose turn had come keeps it.
     */
    public void putBack(Lane lane, T item) {
        queue(lane).addFirst(item);
        size++;
        if (lane == Lane.BULK) {
            passed = PATIENCE;
        }
    }

    /** Takes the item whose turn it is, or null if none wants to send. */
    public @Nullable T next() {
        T item = poll();
        if (item != null) {
            size--;
        }
        return item;
    }

    private @Nullable T poll() {
        T urgent = control.pollFirst();
        if (urgent != null) {
            return urgent;
        }
        if (bulk.isEmpty()) {
            passed = 0;
            return small.pollFirst();
        }
        if (small.isEmpty() || passed >= PATIENCE) {
            passed = 0;
            return bulk.pollFirst();
        }
        passed++;
        return small.pollFirst();
    }

    /** Takes out all items of which this is true. */
    public void removeIf(Predicate<? super T> over) {
        control.removeIf(over);
        small.removeIf(over);
        bulk.removeIf(over);
        size = control.size() + small.size() + bulk.size();
    }

    /** Whether nothing wants to send. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Items in all lanes. */
    public int size() {
        return size;
    }

    private ArrayDeque<T> queue(Lane lane) {
        return switch (lane) {
            case CONTROL -> control;
            case SMALL -> small;
            case BULK -> bulk;
        };
    }
}
