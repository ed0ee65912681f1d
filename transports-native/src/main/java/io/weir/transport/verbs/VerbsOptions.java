package io.weir.transport.verbs;

import io.weir.core.Misconfigured;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.LinkMemory;
import io.weir.transport.rdma.SlotPlan;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The options of this path.
 *
 * @param choice {@code device}, {@code port} and {@code gid-index}
 * @param retries {@code timeout} and {@code retry-count}
 * @param plan {@code slots} and {@code slot-size}: how many messages may be under way to us on a link, and how long each may be
 * @param poolBytes {@code pool-size}: registered memory for payloads that the peer reads itself
 */
record VerbsOptions(Choice choice, Retries retries, SlotPlan plan, int poolBytes) {

    /** Whatever is active. */
    static final String ANY_DEVICE = "";

    static final int ANY = -1;

    static final Set<String> NAMES =
            Set.of("device", "port", "gid-index", "timeout", "retry-count", "slots", "slot-size", "pool-size");

    /**
     * Which device, port and address to use; equal choices share what is open.
     *
     * @param device its name, or {@link #ANY_DEVICE}
     * @param port its number, or {@link #ANY}
     * @param gidIndex the place of the GID in the port's table, or {@link #ANY}
     */
    record Choice(String device, int port, int gidIndex) {}

    /**
     * How long a peer may be silent before the connection is lost.
     *
     * @param timeout the time for one attempt: 4.096 us, doubled so often
     * @param count how many attempts follow the first
     */
    record Retries(int timeout, int count) {}

    /** 1.3 MB for each direction of a link: enough to keep 100 Gbit/s busy over 100 us. */
    private static final int SLOTS = 32;

    /** A frame of 32 KiB and what stands around it, in whole pages. */
    private static final int SLOT = 40 << 10;

    private static final int SLOT_UNIT = 8;

    private static final int POOL = 64 << 20;
    private static final int MOST_POOL = 1 << 30;

    /** 67 ms, and with six attempts after the first about half a second: near to what other users of RDMA have, so networks are made for it. */
    private static final int TIMEOUT = 14;

    /** The most but one: RoCE in software takes the most for "for ever", and would never say that a connection is lost. */
    private static final int RETRY_COUNT = 6;

    /** The device's name is part of a path in the system's files. */
    private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}");

    /**
     * Reads them.
     *
     * @throws Misconfigured naming what is wrong
     */
    static VerbsOptions of(TransportSettings settings) {
        Choice choice = new Choice(
                device(settings),
                number(settings, "port", ANY, 1, 255),
                number(settings, "gid-index", ANY, 0, Short.MAX_VALUE));
        Retries retries = new Retries(
                number(settings, "timeout", TIMEOUT, 1, 31), number(settings, "retry-count", RETRY_COUNT, 0, 7));
        int slotBytes = settings.size("slot-size", SLOT, SlotPlan.LEAST_BYTES, SlotPlan.MOST_BYTES);
        if (slotBytes % SLOT_UNIT != 0) {
            throw new Misconfigured("slot-size=" + slotBytes + " is not a multiple of " + SLOT_UNIT);
        }
        return new VerbsOptions(
                choice,
                retries,
                new SlotPlan(number(settings, "slots", SLOTS, SlotPlan.LEAST_SLOTS, SlotPlan.MOST_SLOTS), slotBytes),
                settings.size("pool-size", POOL, 0, MOST_POOL));
    }

    /** How much memory one link keeps from being swapped out before it has long payloads, which are copied where there may be no more. */
    long lockedBytes() {
        return 2L * plan.slots() * plan.slotBytes() + LinkMemory.BOUNCE;
    }

    private static String device(TransportSettings settings) {
        String text = settings.options().getOrDefault("device", ANY_DEVICE).trim();
        if (!text.equals(ANY_DEVICE) && !DEVICE.matcher(text).matches()) {
            throw new Misconfigured("device=" + text + " is not the name of a device, such as mlx5_0");
        }
        return text;
    }

    private static int number(TransportSettings settings, String option, int otherwise, int least, int most) {
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
