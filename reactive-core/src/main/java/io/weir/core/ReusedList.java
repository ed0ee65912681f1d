package io.weir.core;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A list that is filled and emptied again and again, mostly with the same elements in the same order. A place keeps its
 * element when the list is emptied, so that the same one is not stored again: a reference that is stored in an old
 * object makes G1 wait for all earlier stores of the processor. Now and then, and by {@link #forget}, places are
 * emptied, too. Not thread-safe.
 */
public final class ReusedList<T> {

    private static final int USES = 1024;

    private @Nullable Object[] places = new @Nullable Object[8];
    private int size;
    private int uses;

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public void add(T element) {
        if (size == places.length) {
            places = Arrays.copyOf(places, 2 * size);
        }
        if (places[size] != element) {
            places[size] = element;
        }
        size++;
    }

    /** The element at this place. */
    @SuppressWarnings("unchecked") // Only add stores elements.
    public T get(int index) {
        if (index >= size) {
            throw new IndexOutOfBoundsException(index + " of " + size);
        }
        return (T) places[index];
    }

    /**
     * Lets go of the element at this place. The last one takes the place, and is returned: the same one if it was the
     * last.
     */
    public T remove(int index) {
        T removed = get(index);
        T last = get(size - 1);
        places[index] = last;
        size--;
        places[size] = null;
        return index == size ? removed : last;
    }

    /** The list is empty from now on. */
    public void clear() {
        size = 0;
        if (++uses == USES) {
            forget();
        }
    }

    /** Lets go of what the places of an empty list have kept. */
    public void forget() {
        uses = 0;
        Arrays.fill(places, size, places.length, null);
    }
}
