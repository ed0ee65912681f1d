package io.weir.samples;

import io.weir.config.NodeSpec;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.core.Availability;
import io.weir.core.Misconfigured;
import io.weir.core.Transport;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What this process could use to reach others.
 *
 * @param host facts about the host and the process, in the order of reading
 * @param settings the configuration where it differs from the defaults
 * @param measured whether the order is measured when a peer is connected to, so that the places say nothing
 * @param paths every path of Weir and of the adapters found, those of the configured order first
 */
record InfoReport(Map<String, String> host, String settings, boolean measured, List<PathInfo> paths) {

    /** Whether a path can be used. */
    enum Verdict {
        READY,
        MISSING,
        OFF,
        NO_ADAPTER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /**
     * One path.
     *
     * @param place its place in the order, from 1; null if the order leaves it out
     * @param details why it can't be used, or what it uses here
     * @param options the settings that its adapter knows, sorted
     */
    record PathInfo(String path, @Nullable Integer place, Verdict verdict, String details, List<String> options) {}

    /**
     * Asks every adapter. Loads the native libraries of those that are not switched off.
     *
     * @throws Misconfigured if an adapter can't work with its options
     */
    static InfoReport of(NodeSpec spec, Map<String, Transport> adapters) {
        Set<String> paths = new LinkedHashSet<>(spec.paths().paths());
        paths.addAll(PathPolicy.standard().paths());
        paths.addAll(new TreeSet<>(adapters.keySet()));
        List<PathInfo> infos = new ArrayList<>();
        for (String path : paths) {
            infos.add(info(path, spec, adapters.get(path)));
        }
        return new InfoReport(HostFacts.of(spec), spec.toString(), spec.paths().measured(), List.copyOf(infos));
    }

    private static PathInfo info(String path, NodeSpec spec, @Nullable Transport adapter) {
        int at = spec.paths().paths().indexOf(path);
        Integer place = at < 0 ? null : at + 1;
        if (adapter == null) {
            return new PathInfo(
                    path, place, Verdict.NO_ADAPTER, "no adapter for " + path + " is on the class path", List.of());
        }
        List<String> options = adapter.options().stream().sorted().toList();
        if (spec.paths().of(path) == PathSwitch.OFF) {
            return new PathInfo(path, place, Verdict.OFF, "switched off: weir.transport." + path + "=off", options);
        }
        Availability found = spec.availability(adapter);
        if (found instanceof Availability.Ready ready) {
            return new PathInfo(path, place, Verdict.READY, ready.details(), options);
        }
        return new PathInfo(path, place, Verdict.MISSING, ((Availability.Missing) found).reason(), options);
    }
}
