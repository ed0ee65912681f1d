package io.weir.transport.shm;

import io.weir.core.TransportSettings;
import java.util.Set;

/**
 * The options of this path.
 *
 * @param layout {@code ring-size} and {@code pool-size} of what we send through; the peer chooses its own
 * @param copyIn {@code copy-in}: whether received blocks are copied at once, for receivers that check a payload and
 *     then use it, and don't trust the peer not to change it in between
 * @param memory {@code memory}: bytes that the links of a node may make together
 */
record ShmOptions(SegmentLayout layout, boolean copyIn, long memory) {

    static final Set<String> NAMES = Set.of("ring-size", "pool-size", "copy-in", "memory");

    /**
     * 80,000 messages of 32 bytes, or 4,000 of 1 KiB. Longer than the second-level cache, on purpose: when the sender
     * comes round, the receiver's processor no longer holds the lines, whose return from there would take longer than
     * from further out.
     */
    private static final int RING_SIZE = 4 << 20;

    /** Eight messages of 1 MiB under way; low units are used again first, so that few messages touch little of it. */
    private static final int POOL_SIZE = 8 << 20;

    /** Enough for 340 peers to which much is sent, or for 7,500 to which little is. */
    private static final long MEMORY = 4L << 30;

    private static final long LEAST_MEMORY = 1 << 20;
    private static final long MOST_MEMORY = 1L << 40;

    /**
     * Reads them.
     *
     * @throws io.weir.core.Misconfigured naming what is wrong
     */
    static ShmOptions of(TransportSettings settings) {
        int ring = settings.size("ring-size", RING_SIZE, SegmentLayout.MIN_RING, SegmentLayout.MAX_RING);
        int pool = settings.size("pool-size", POOL_SIZE, SegmentLayout.MIN_POOL, SegmentLayout.MAX_POOL);
        SegmentLayout layout = new SegmentLayout(ring, pool);
        boolean copyIn = settings.flag("copy-in", false);
        return new ShmOptions(layout, copyIn, settings.longSize("memory", MEMORY, LEAST_MEMORY, MOST_MEMORY));
    }
}
