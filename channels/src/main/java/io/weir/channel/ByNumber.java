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

    private final IntObjectHashMap<V> bySpread = new IntObjectHashMap<>();
    private final int seed = ThreadLocalRandom.current().nextInt();

    /** The finalizer of MurmurHash3: each bit of the number has its part in all bits, and no two numbers meet. */
    private int spread(int number) {
        int hash = number ^ seed;
        hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
        hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
        return hash ^ (hash >>> 16);
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
