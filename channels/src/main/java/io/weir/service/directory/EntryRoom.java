package io.weir.service.directory;

import java.util.HashMap;
import java.util.Map;

/**
 * How much a node keeps of what others write into its directory: so many entries, and so much memory for them all, as
 * they are when they were read. One thread at a time.
 */
final class EntryRoom {

    static final int MOST = 4096;

    /** Also a node with little memory has enough for some hundred others. */
    private static final long MOST_BYTES =
            Math.min(16 << 20, Runtime.getRuntime().maxMemory() / 16);

    /** What an entry takes beside its text: its name, where it stands, and what is known of it. */
    private static final int ENTRY = 1024;

    /** What a line becomes: two texts, which are the keys and values of a map, or a service with its lists. */
    private static final int LINE = 256;

    private final long bytes;
    private final Map<String, Long> costs = new HashMap<>();
    private long taken;
    /** Something was given back since an entry found no room. */
    private boolean mayFit;

    EntryRoom() {
        this(MOST_BYTES);
    }

    EntryRoom(long bytes) {
        this.bytes = bytes;
    }

    /** What an entry with this text takes. */
    static long cost(byte[] text) {
        long lines = 0;
        for (byte each : text) {
            lines += each == '\n' ? 1 : 0;
        }
        return ENTRY + 3L * text.length + LINE * lines;
    }

    /** There is no room for an entry now; there may be later. */
    static final class Full extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        Full(String reason) {
            super(reason);
        }
    }

    /**
     * Takes what this entry needs, in place of what it has.
     *
     * @throws Full with the reason, if there is no room; nothing is changed then
     */
    void take(String name, long cost) {
        Long before = costs.get(name);
        long then = taken - (before == null ? 0 : before) + cost;
        if ((before == null && costs.size() >= MOST) || then > bytes) {
            mayFit = false;
            throw new Full("there are " + costs.size() + " others that take " + taken + " bytes of memory, and " + MOST
                    + " of " + bytes + " are the most");
        }
        costs.put(name, cost);
        mayFit |= then < taken;
        taken = then;
    }

    void give(String name) {
        Long before = costs.remove(name);
        mayFit |= before != null;
        taken -= before == null ? 0 : before;
    }

    void clear() {
        costs.clear();
        mayFit = true;
        taken = 0;
    }

    /** Whether there may be room now for one that found none. */
    boolean mayFit() {
        return mayFit;
    }

    /** Bytes for all. */
    long bytes() {
        return bytes;
    }
}
