package io.weir.channel;

import io.weir.core.Misconfigured;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which paths are tried, and in which order. Immutable.
 *
 * @param order the names of the paths, best first; a path that it does not name is not tried. Empty in a narrower policy
 *     that leaves the order as it is
 * @param switches by path name; what is absent is {@link PathSwitch#ON}
 */
public record PathPolicy(List<String> order, Map<String, PathSwitch> switches) {

    /**
     * The paths of Weir from the shortest to the longest: within the JVM, through the host's memory, then the
     * interconnects by their latency (RDMA before the user-level networks that came before it), and TCP, which is always there.
     */
    static final List<String> STANDARD_ORDER = List.of("local", "shm", "verbs", "dapl", "gm", "p4sock", "elan", "tcp");

    private static final PathPolicy STANDARD = new PathPolicy(STANDARD_ORDER, Map.of());

    /**
     * Checks the values.
     *
     * @throws Misconfigured if the order names a path twice
     */
    public PathPolicy {
        order = List.copyOf(order);
        switches = Map.copyOf(switches);
        Set<String> seen = new HashSet<>();
        for (String path : order) {
            if (!seen.add(path)) {
                throw new Misconfigured("the order of paths names " + path + " twice: " + String.join(", ", order));
            }
        }
    }

    /** Every path of Weir, none switched off: {@code local, shm, verbs, dapl, gm, p4sock, elan, tcp}. */
    public static PathPolicy standard() {
        return STANDARD;
    }

    /** No order and no switches of its own: changes nothing when put over another policy. */
    public static PathPolicy unchanged() {
        return new PathPolicy(List.of(), Map.of());
    }

    /** Whether this path may be used, by its switch alone. */
    public PathSwitch of(String path) {
        return switches.getOrDefault(path, PathSwitch.ON);
    }

    /**
     * This policy under a narrower one, that of a peer or port: its order, if it has one, replaces ours; its switches replace
     * ours one by one.
     */
    public PathPolicy and(PathPolicy narrower) {
        Map<String, PathSwitch> both = new TreeMap<>(switches);
        both.putAll(narrower.switches);
        return new PathPolicy(narrower.order.isEmpty() ? order : narrower.order, both);
    }

    /** Whether any path is required. */
    public boolean required() {
        return switches.containsValue(PathSwitch.REQUIRED);
    }

    /** The order, then every switch: {@code shm, tcp; shm=required}. */
    @Override
    public String toString() {
        String set = new TreeMap<>(switches)
                .entrySet().stream()
                        .map(entry ->
                                entry.getKey() + '=' + entry.getValue().name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", "));
        String names = String.join(", ", order);
        return names + (set.isEmpty() || names.isEmpty() ? "" : "; ") + set;
    }
}
