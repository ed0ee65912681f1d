package io.weir.peer;

import io.weir.config.PeerSpec;
import io.weir.core.ControlData;
import io.weir.core.ForeignText;
import io.weir.core.ProtocolMismatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A way through gateways, or a part of one: who they are, and which path each leg has, in the order from the side that
 * connects. It holds what gateways state about themselves. Immutable.
 *
 * @param gateways their names, at most {@value #MOST}
 * @param paths of the legs, by name
 */
public record TunnelRoute(List<String> gateways, List<String> paths) {

    /** More gateways in a row are a loop, or as slow as one. */
    public static final int MOST = PeerSpec.MOST_GATEWAYS;

    /** No gateway, and no leg. */
    public static final TunnelRoute NONE = new TunnelRoute(List.of(), List.of());

    private static final String GATEWAYS = "weir-gateways";
    private static final String PATHS = "weir-paths";

    /**
     * Copies the lists.
     *
     * @throws ProtocolMismatch if they are longer than a way may be
     */
    public TunnelRoute {
        gateways = List.copyOf(gateways);
        paths = List.copyOf(paths);
        if (gateways.size() > MOST || paths.size() > MOST + 1) {
            throw new ProtocolMismatch(
                    "a way through " + gateways.size() + " gateways, where " + MOST + " are the most");
        }
    }

    /** One leg more behind it. */
    public TunnelRoute leg(String path) {
        return new TunnelRoute(gateways, joined(paths, List.of(path)));
    }

    /** One gateway more behind it. */
    public TunnelRoute gateway(String name) {
        return new TunnelRoute(joined(gateways, List.of(name)), paths);
    }

    /** This, and then that. */
    public TunnelRoute then(TunnelRoute next) {
        return new TunnelRoute(joined(gateways, next.gateways), joined(paths, next.paths));
    }

    private static List<String> joined(List<String> one, List<String> other) {
        List<String> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    public ControlData into(ControlData data) {
        return data.with(GATEWAYS, String.join("\n", gateways)).with(PATHS, String.join("\n", paths));
    }

    public static TunnelRoute of(ControlData data) {
        return new TunnelRoute(list(data, GATEWAYS), list(data, PATHS));
    }

    public static List<String> list(ControlData data, String key) {
        String text = data.get(key);
        return text == null || text.isEmpty()
                ? List.of()
                : Arrays.stream(text.split("\n", MOST + 2))
                        .map(ForeignText::brief)
                        .toList();
    }

    /** For people: {@code through gw-3d6ff516: shm - tcp}. */
    @Override
    public String toString() {
        return "through " + String.join(", ", gateways) + ": " + String.join(" - ", paths);
    }
}
