package io.weir.transport.rdma;

import io.weir.core.Misconfigured;
import io.weir.core.TransportSettings;
import java.util.Set;

/**
 * The options that every path over RDMA has.
 *
 * @param plan {@code slots} and {@code slot-size}: how many messages may be under way to us on a link, and how long
 *     each may be
 * @param poolBytes {@code pool-size}: registered memory for payloads that the peer reads itself
 */
public record RemoteOptions(SlotPlan plan, int poolBytes) {

    /** Their names. */
    public static final Set<String> NAMES = Set.of("slots", "slot-size", "pool-size");

    /** 1.3 MB for each direction of a link: enough to keep 100 Gbit/s busy over 100 us. */
    private static final int SLOTS = 32;

    /** A frame of 32 KiB and what stands around it, in whole pages. */
    private static final int SLOT = 40 << 10;

    private static final int SLOT_UNIT = 8;

    private static final int POOL = 64 << 20;
    private static final int MOST_POOL = 1 << 30;
    private static final int LONGEST_PATH = 4096;

    /**
     * Reads them.
     *
     * @throws Misconfigured naming what is wrong
     */
    public static RemoteOptions of(TransportSettings settings) {
        int slotBytes = settings.size("slot-size", SLOT, SlotPlan.LEAST_BYTES, SlotPlan.MOST_BYTES);
        if (slotBytes % SLOT_UNIT != 0) {
            throw new Misconfigured("slot-size=" + slotBytes + " is not a multiple of " + SLOT_UNIT);
        }
        int slots = number(settings, "slots", SLOTS, SlotPlan.LEAST_SLOTS, SlotPlan.MOST_SLOTS);
        return new RemoteOptions(new SlotPlan(slots, slotBytes), settings.size("pool-size", POOL, 0, MOST_POOL));
    }

    /**
     * How much memory one link keeps from being swapped out before it has long payloads, which are copied where there
     * may be no more.
     */
    public long lockedBytes() {
        return 2L * plan.slots() * plan.slotBytes() + LinkMemory.BOUNCE;
    }

    /**
     * A whole path; empty if none is named.
     *
     * @throws Misconfigured if it is none
     */
    public static String path(TransportSettings settings, String option, String example) {
        String path = settings.options().getOrDefault(option, "").trim();
        if (!path.isEmpty() && (path.charAt(0) != '/' || path.length() > LONGEST_PATH)) {
            throw new Misconfigured(option + "=" + path + " is not a whole path, such as " + example);
        }
        return path;
    }

    /**
     * A number within bounds.
     *
     * @throws Misconfigured if it is none
     */
    public static int number(TransportSettings settings, String option, int otherwise, int least, int most) {
        String text = settings.options().get(option);
        if (text == null) {
            return otherwise;
        }
        int value;
        try {
            value = Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new Misconfigured(option + "=" + text + " is not a number", e);
        }
        if (value < least || value > most) {
            throw new Misconfigured(option + "=" + text + " is out of range: from " + least + " to " + most);
        }
        return value;
    }
}
