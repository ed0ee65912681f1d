package io.weir.config;

import io.weir.core.Misconfigured;
import io.weir.core.SettingText;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which paths are tried, and in which order. Immutable.
 *
 * @param order the names of the paths, best first; a path that it does not name is not tried. Where {@link #MEASURED}
 *     is the first name, those that follow are measured, and used in the order in which they answer; if none follow,
 *     all paths of Weir are. Empty in a narrower policy that leaves the order as it is
 * @param switches by path name; what is absent is {@link PathSwitch#ON}
 * @param repath whether a session may change its path while it lives; null in a policy that says nothing of it, and
 *     then {@link Repath#ALWAYS}. Ports have no say in it
 */
public record PathPolicy(
        List<String> order,
        Map<String, PathSwitch> switches,
        @Nullable Repath repath) {

    /** The first name of an order that is found by measuring. */
    public static final String MEASURED = "measured";

    /**
     * The paths of Weir from the shortest to the longest: within the JVM, through the host's memory, then the
     * interconnects by their latency (RDMA before the user-level networks that came before it), and TCP, which is
     * always there.
     */
    public static final List<String> STANDARD_ORDER =
            List.of("local", "shm", "verbs", "dapl", "gm", "p4sock", "elan", "tcp");

    private static final PathPolicy STANDARD = new PathPolicy(STANDARD_ORDER, Map.of(), Repath.ALWAYS);

    /**
     * Checks the values.
     *
     * @throws Misconfigured if the order names a path twice, or {@link #MEASURED} behind one
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
        if (order.indexOf(MEASURED) > 0) {
            throw new Misconfigured(
                    "the order of paths names " + MEASURED + " behind a path (" + String.join(", ", order)
                            + "), and all of an order is measured or nothing: write it first, or leave it out");
        }
    }

    /** An order and switches, nothing said of {@link #repath}. */
    public PathPolicy(List<String> order, Map<String, PathSwitch> switches) {
        this(order, switches, null);
    }

    /** Every path of Weir, none switched off: {@code local, shm, verbs, dapl, gm, p4sock, elan, tcp}. */
    public static PathPolicy standard() {
        return STANDARD;
    }

    /** No order and no switches of its own: changes nothing when put over another policy. */
    public static PathPolicy unchanged() {
        return new PathPolicy(List.of(), Map.of());
    }

    /** Whether the paths are measured first, and used in the order in which they answer. */
    public boolean measured() {
        return !order.isEmpty() && order.get(0).equals(MEASURED);
    }

    /** The paths of the order, without {@link #MEASURED}; all of Weir if it stands alone. */
    public List<String> paths() {
        if (!measured()) {
            return order;
        }
        return order.size() == 1 ? STANDARD_ORDER : order.subList(1, order.size());
    }

    /** Whether this path may be used, by its switch alone. */
    public PathSwitch of(String path) {
        return switches.getOrDefault(path, PathSwitch.ON);
    }

    /**
     * This policy under a narrower one, that of a peer or port: its order, if it has one, replaces ours; its switches
     * replace ours one by one.
     */
    public PathPolicy and(PathPolicy narrower) {
        Map<String, PathSwitch> both = new TreeMap<>(switches);
        both.putAll(narrower.switches);
        return new PathPolicy(
                narrower.order.isEmpty() ? order : narrower.order,
                both,
                narrower.repath == null ? repath : narrower.repath);
    }

    /** Whether a session may change its path while it lives. */
    public Repath repathOrDefault() {
        return repath == null ? Repath.ALWAYS : repath;
    }

    PathPolicy with(Repath change) {
        return new PathPolicy(order, switches, change);
    }

    /** Whether any path is required. */
    public boolean required() {
        return switches.containsValue(PathSwitch.REQUIRED);
    }

    /** The order, then every switch: {@code shm, tcp; shm=required, repath=once}. */
    @Override
    public String toString() {
        StringJoiner set = new StringJoiner(", ");
        new TreeMap<>(switches).forEach((path, value) -> set.add(path + '=' + SettingText.word(value)));
        if (repath != null && repath != Repath.ALWAYS) {
            set.add("repath=" + SettingText.word(repath));
        }
        String names = String.join(", ", order);
        return names + (set.length() == 0 || names.isEmpty() ? "" : "; ") + set;
    }
}
