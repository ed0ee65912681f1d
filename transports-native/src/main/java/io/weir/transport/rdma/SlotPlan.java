package io.weir.transport.rdma;

/**
 * How a side receives.
 *
 * @param slots how many messages may be under way to it
 * @param slotBytes how long each may be
 */
public record SlotPlan(int slots, int slotBytes) {

    /** The fewest slots. */
    public static final int LEAST_SLOTS = SlotLayout.LEAST_SLOTS;

    /** The most slots. */
    public static final int MOST_SLOTS = 1024;

    /** The shortest slot in bytes. */
    public static final int LEAST_BYTES = SlotLayout.LEAST_SLOT;

    /** The longest slot in bytes. */
    public static final int MOST_BYTES = 1 << 20;

    public SlotPlan {
        if (!isSound(slots, slotBytes)) {
            throw new IllegalArgumentException(
                    slots + " slots of " + slotBytes + " bytes are not possible: from " + LEAST_SLOTS
                            + " to " + MOST_SLOTS + " slots of " + LEAST_BYTES + " to " + MOST_BYTES
                            + " bytes, a multiple of 8");
        }
    }

    private static boolean isSound(int slots, int slotBytes) {
        return slots >= LEAST_SLOTS
                && slots <= MOST_SLOTS
                && slotBytes >= LEAST_BYTES
                && slotBytes <= MOST_BYTES
                && slotBytes % Long.BYTES == 0;
    }
}
