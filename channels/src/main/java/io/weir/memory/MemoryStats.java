package io.weir.memory;

import java.util.Map;

/**
 * The account of memory that a node keeps on behalf of its peers, at one moment. Bytes.
 *
 * @param total what it may keep at most
 * @param used what is taken of that; also what is promised to peers and they have not used
 * @param uses the same by what it is for; what is set aside for each peer and not used counts in {@code used} only
 */
public record MemoryStats(long total, long used, Map<MemoryUse, Long> uses) {

    /** Copies the map. */
    public MemoryStats {
        uses = Map.copyOf(uses);
    }
}
