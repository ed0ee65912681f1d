package io.weir.transport.p4sock;

import io.weir.core.Misconfigured;
import io.weir.core.TransportSettings;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The options of this path.
 *
 * @param networkInterface {@code interface}: the only one to use; empty for those that lead to the peer
 * @param ringBytes {@code ring-size}: what the links of a loop receive into, for each interface
 * @param windowBytes {@code window}: how much may be on its way to us on one link
 * @param timeout {@code timeout}: how long a peer may be silent before the connection is lost
 */
record P4Options(String networkInterface, int ringBytes, int windowBytes, Duration timeout) {

    static final Set<String> NAMES = Set.of("interface", "ring-size", "window", "timeout");

    private static final int RING = 8 << 20;
    private static final int LEAST_RING = 256 << 10;
    private static final int MOST_RING = 256 << 20;
    private static final int WINDOW = 4 << 20;
    private static final int LEAST_WINDOW = 64 << 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** As the system has them: a longer one would be cut, and so would one with a colon. */
    private static final Pattern INTERFACE = Pattern.compile("[^\\s/:\\p{Cntrl}\\P{ASCII}]{0,15}");

    /**
     * Reads them.
     *
     * @throws Misconfigured naming what is wrong
     */
    static P4Options of(TransportSettings settings) {
        String name = settings.options().getOrDefault("interface", "").trim();
        if (!INTERFACE.matcher(name).matches()) {
            throw new Misconfigured("interface=" + name + " is not the name of a network interface, such as eth0");
        }
        return new P4Options(
                name,
                settings.size("ring-size", RING, LEAST_RING, MOST_RING),
                settings.size("window", WINDOW, LEAST_WINDOW, MOST_RING),
                settings.time("timeout", TIMEOUT, Duration.ofMillis(100), Duration.ofMinutes(2)));
    }

    /** Fragments of this payload that the window has room for, and the ring as well. */
    int window(EtherInterface on) {
        int payload = FrameFormat.payload(on.mtu(), true);
        int slots = PacketRing.Layout.of(on.frameBytes(), ringBytes).slots();
        return Math.max(LEAST_FRAGMENTS, Math.min(MOST_FRAGMENTS, Math.min(windowBytes / payload, slots / 2)));
    }

    /** A quarter of what 16 bits can tell apart. */
    static final int MOST_FRAGMENTS = 8192;

    static final int LEAST_FRAGMENTS = 8;
}
