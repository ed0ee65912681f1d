package io.weir.transport.rdma;

import io.weir.core.ProtocolMismatch;
import io.weir.transport.stream.OfferFormat;
import java.nio.ByteBuffer;

/**
 * How the offers of all paths over RDMA end: with how the side receives that makes it.
 *
 * <pre>
 *     slots in which this side receives (32), bytes of each (32)
 * </pre>
 */
public final class RemoteOffer {

    private RemoteOffer() {}

    /** Writes how this side receives, and ends with it. */
    public static byte[] end(ByteBuffer bytes, SlotPlan plan) {
        byte[] offer = new byte[bytes.capacity()];
        bytes.putInt(plan.slots()).putInt(plan.slotBytes()).get(0, offer);
        return offer;
    }

    /**
     * Reads how the peer receives.
     *
     * @throws ProtocolMismatch if nobody can
     */
    public static SlotPlan plan(String transport, ByteBuffer bytes) {
        int slots = bytes.getInt();
        OfferFormat.check(
                transport, slots >= SlotPlan.LEAST_SLOTS && slots <= SlotPlan.MOST_SLOTS, "number of slots", slots);
        int slotBytes = bytes.getInt();
        OfferFormat.check(
                transport,
                slotBytes >= SlotPlan.LEAST_BYTES && slotBytes <= SlotPlan.MOST_BYTES && slotBytes % Long.BYTES == 0,
                "bytes of a slot",
                slotBytes);
        return new SlotPlan(slots, slotBytes);
    }
}
