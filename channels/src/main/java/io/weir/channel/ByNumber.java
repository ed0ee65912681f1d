package io.weir.channel;

import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values by numbers that are given one after the other. Netty's map puts neighbours beside each other, and whoever
 * removes one of them looks at all that follow: of a thousand numbers in a row, each removal would look at hundreds. So
 * the numbers are spread over the table first.
 */
final class ByNumber<V> {

    /** 2^32 divided by the golden ratio: numbers in a row come to lie far from each other. It is odd, so none meet. */
    private static final int SPREAD = 0x9E3779B9;

    private final IntObjectHashMap<V> bySpread = new IntObjectHashMap<>();

    @Nullable
    V get(int number) {
        return bySpread.get(number * SPREAD);
    }

    boolean has(int number) {
        return bySpread.containsKey(number * SPREAD);
    }

    void put(int number, V value) {
        bySpread.put(number * SPREAD, value);
    }

    /** Returns what was removed; null if there was nothing. */
    @Nullable
    V remove(int number) {
        return bySpread.remove(number * SPREAD);
    }

    int size() {
        return bySpread.size();
    }

    boolean isEmpty() {
        return bySpread.isEmpty();
    }

    /** Those of now, in no order. */
    List<V> copy() {
        return new ArrayList<>(bySpread.values());
    }

    /** Those of now as they are gone through, in no order: meanwhile nothing may be put or removed. */
    Iterable<V> values() {
        return bySpread.values();
    }

    void clear() {
        bySpread.clear();
    }
}
