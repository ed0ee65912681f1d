package io.weir.transport.rdma;

import io.weir.core.ProtocolMismatch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the offers of all paths over RDMA have in common: how they begin, how slots are described, and how one is refused. Little-endian.
 *
 * <pre>
 *  0  magic "WEIR" (32), version (32)
 *     what the path needs
 *     slots in which this side receives (32), bytes of each (32)
 * </pre>
 */
public final class RemoteOffer {

    private static final int MAGIC = 0x52494557;

    private RemoteOffer() {}

    /** Begins to write one of this length. */
    public static ByteBuffer begin(int length, int version) {
        return ByteBuffer.allocate(length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .putInt(version);
    }

    /** Writes how this side receives, and ends with it. */
    public static byte[] end(ByteBuffer bytes, SlotPlan plan) {
        byte[] offer = new byte[bytes.capacity()];
        bytes.putInt(plan.slots()).putInt(plan.slotBytes()).get(0, offer);
        return offer;
    }

    /**
     * Begins to read one.
     *
     * @param transport the path's name
     * @throws ProtocolMismatch if it does not begin like one, or is longer or shorter
     */
    public static ByteBuffer read(String transport, byte[] offer, int length, int version) {
        check(transport, offer.length == length, "length", offer.length);
        ByteBuffer bytes = ByteBuffer.wrap(offer).order(ByteOrder.LITTLE_ENDIAN);
        int magic = bytes.getInt();
        check(transport, magic == MAGIC, "beginning", magic);
        int theirs = bytes.getInt();
        check(transport, theirs == version, "version", theirs);
        return bytes;
    }

    /**
     * Reads how the peer receives.
     *
     * @throws ProtocolMismatch if nobody can
     */
    public static SlotPlan plan(String transport, ByteBuffer bytes) {
        int slots = bytes.getInt();
        check(transport, slots >= SlotPlan.LEAST_SLOTS && slots <= SlotPlan.MOST_SLOTS, "number of slots", slots);
        int slotBytes = bytes.getInt();
        check(
                transport,
                slotBytes >= SlotPlan.LEAST_BYTES && slotBytes <= SlotPlan.MOST_BYTES && slotBytes % Long.BYTES == 0,
                "bytes of a slot",
                slotBytes);
        return new SlotPlan(slots, slotBytes);
    }

    /**
     * Checks a field of one.
     *
     * @throws ProtocolMismatch naming it, and what stands there
     */
    public static void check(String transport, boolean sound, String field, long value) {
        if (!sound) {
            throw unusable(transport, field, value);
        }
    }

    /** That a field of one can't be used. */
    public static ProtocolMismatch unusable(String transport, String field, long value) {
        return new ProtocolMismatch(
                "the peer's offer for " + transport + " can't be used: its " + field + " is " + value);
    }
}
