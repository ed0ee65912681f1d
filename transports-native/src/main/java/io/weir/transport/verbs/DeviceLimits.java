package io.weir.transport.verbs;

import io.weir.core.PeerUnavailable;
import io.weir.transport.verbs.VerbsLayout.DeviceAttributes;
import java.nio.ByteBuffer;

/**
 * What a device can do.
 *
 * @param maxRegion bytes of memory that is registered at once
 * @param maxRequests requests that one connection may have under way in one direction
 * @param maxEntries completions that one queue holds
 * @param maxReads reads of one connection that may be under way
 * @param maxReadsServed reads of the peer that one connection serves at once
 */
record DeviceLimits(long maxRegion, int maxRequests, int maxEntries, int maxReads, int maxReadsServed) {

    /** Blocks are long, so a few keep the wire busy; and each costs the device memory on both sides. */
    private static final int READS = 16;

    static DeviceLimits of(ByteBuffer attributes) {
        long maxRegion = attributes.getLong(DeviceAttributes.MAX_REGION);
        return new DeviceLimits(
                // Without a sign: a device without a limit has all bits set.
                maxRegion < 0 ? Long.MAX_VALUE : maxRegion,
                attributes.getInt(DeviceAttributes.MAX_REQUESTS),
                attributes.getInt(DeviceAttributes.MAX_ENTRIES),
                Math.min(READS, attributes.getInt(DeviceAttributes.MAX_READS)),
                Math.min(READS, attributes.getInt(DeviceAttributes.MAX_READS_SERVED)));
    }

    /**
     * Checks whether a connection with so many slots in each direction is possible.
     *
     * @throws PeerUnavailable saying what to set otherwise
     */
    void check(String device, VerbsOptions options) {
        if (maxReads < 1 || maxReadsServed < 1) {
            throw new PeerUnavailable("the device " + device + " can't read remote memory");
        }
        int slots = options.memory().plan().slots();
        if (sendRequests(slots) > maxRequests || entries(slots) > maxEntries) {
            throw new PeerUnavailable("the device " + device + " takes " + maxRequests + " requests and " + maxEntries
                    + " completions of a connection, and " + slots + " slots need " + sendRequests(slots) + " and "
                    + entries(slots) + "; set weir.transport.verbs.slots lower");
        }
        if (options.memory().lockedBytes() > maxRegion) {
            throw new PeerUnavailable(
                    "the device " + device + " registers at most " + maxRegion + " bytes at once, and "
                            + options.memory().lockedBytes() + " are wanted; set weir.transport.verbs.pool-size lower");
        }
    }

    /**
     * Requests of a connection that sends from so many slots: of each the completion is seen before the slot is used
     * again.
     */
    int sendRequests(int sendSlots) {
        return sendSlots + maxReads;
    }

    /** All that can be completed before it is looked at. */
    int entries(int slots) {
        return slots + sendRequests(slots);
    }
}
