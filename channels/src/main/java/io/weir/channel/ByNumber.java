package io.weir.channel;

import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Values by numbers that are mostly given one after the other, by us or by a peer. Netty's map puts neighbours beside
 * each other, and whoever removes one of them looks at all that follow: of a thousand numbers in a row, each removal
 * would look at hundreds. So the numbers are spread over the table first, in a way that a peer can't foresee.
 */
final class ByNumber<V> {

    /**
     * 2^32 divided by the golden ratio. As it is odd, no two numbers meet; and in a table of 2^3 to 2^17 places that is
     * half full of numbers in a row, no more than ten of them are beside each other.
     */
    private static final int SPREAD = 0x9E3779B9;

    private final IntObjectHashMap<V> bySpread = new IntObjectHashMap<>();
    /** Odd as well. */
    private final int secret = ThreadLocalRandom.current().nextInt() | 1;

    /** Numbers in a row have their upper half in common, and stay one; a peer can't tell where others come to lie. */
    private int spread(int number) {
        return (number ^ (((number >>> 16) * secret) & 0xffff)) * SPREAD;
    }

    @Nullable
    V get(int number) {
        return bySpread.get(spread(number));
    }

    boolean has(int number) {
        return bySpread.containsKey(spread(number));
    }

    void put(int number, V value) {
        bySpread.put(spread(number), value);
    }

    /** Returns what was removed; null if there was nothing. */
    @Nullable
    V remove(int number) {
        return bySpread.remove(spread(number));
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
