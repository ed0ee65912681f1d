package io.weir.fabric.guest;

import io.weir.config.NodeSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A path that there are devices for where the tests run. A scene is written once, and played over each of them. */
enum Fabric {
    VERBS("verbs", "rxe0 port 1 (GID 1 00000000000000000000ffff0a630001)") {
        @Override
        Map<String, String> options(End end) {
            return Map.of("device", end.device);
        }
    },
    DAPL("dapl", "ofa-v2-cma-rxe on port0, 10.99.0.1 (rdma-cm)") {
        @Override
        Map<String, String> options(End end) {
            return Map.of("adapter", end.adapter);
        }
    },
    /** On a host with a wire between two of its interfaces, where both ends find out by themselves which is whose. */
    P4SOCK("p4sock", "weir0") {
        @Override
        Map<String, String> options(End end) {
            return Map.of();
        }
    },
    /** Over an emulation of its library, which the environment names. */
    GM("gm", "board 0, port 2") {
        @Override
        Map<String, String> options(End end) {
            return Map.of("library", EMULATION_OF_GM);
        }
    },
    /** As above; the environment also makes this process one of a job. */
    ELAN("elan", "vp 0, nvp 4096") {
        @Override
        Map<String, String> options(End end) {
            return Map.of("library", EMULATION_OF_ELAN, "device", EMULATION_OF_ELAN);
        }
    };

    /** Where the library is. */
    static final String EMULATION_OF_GM = System.getenv().getOrDefault("WEIR_TRANSPORT_GM_LIBRARY", "");

    static final String EMULATION_OF_ELAN = System.getenv().getOrDefault("WEIR_TRANSPORT_ELAN_LIBRARY", "");

    /** Enough for an emulated machine, and shorter than a session waits on its way to another path. */
    static final Duration STEP = Duration.ofSeconds(15);

    /** As it stands in the order of a node. */
    final String path;

    /** What it uses if it is told nothing, as {@code weir info} says it. */
    final String uses;

    Fabric(String path, String uses) {
        this.path = path;
        this.uses = uses;
    }

    /** Those that have to work where the tests run. */
    static List<Fabric> here() {
        List<String> required =
                List.of(System.getProperty("weir.required.transports", "").split(","));
        return Arrays.stream(values())
                .filter(each -> required.contains(each.path))
                .toList();
    }

    /**
     * The first of them, for scenes of several processes: on an emulated processor these take half a minute each, and
     * what they play is above the path.
     */
    static List<Fabric> first() {
        return here().stream().limit(1).toList();
    }

    /** Each end has a device of its own. */
    enum End {
        NEAR("rxe0", "ofa-v2-cma-rxe"),
        FAR("rxe1", "ofa-v2-cma-far");

        final String device;
        final String adapter;

        End(String device, String adapter) {
            this.device = device;
            this.adapter = adapter;
        }
    }

    /** What the path is told at this end. */
    abstract Map<String, String> options(End end);

    /** A node at this end. Its name is that of the end, and it has no order yet. */
    NodeSpec.Builder spec(End end) {
        NodeSpec.Builder spec = NodeSpec.builder()
                .name(lower(end))
                .connectTimeout(Patience.OF_NODE)
                .handshakeTimeout(Patience.OF_NODE)
                .stepTimeout(STEP)
                .headStart(Patience.OF_NODE);
        options(end).forEach((option, value) -> spec.transportOption(path, option, value));
        return spec;
    }

    /**
     * The same for a node of another process that is as its environment says: nothing but this path, and those that
     * follow.
     */
    Map<String, String> environment(End end, String... others) {
        Map<String, String> environment = new HashMap<>();
        options(end).forEach((option, value) -> environment.put(variable(option), value));
        environment.put("WEIR_TRANSPORT_ORDER", others.length == 0 ? path : path + "," + String.join(",", others));
        environment.put("WEIR_TIMEOUT_CONNECT", Patience.OF_NODE.toSeconds() + "s");
        environment.put("WEIR_TIMEOUT_HANDSHAKE", Patience.OF_NODE.toSeconds() + "s");
        environment.put("WEIR_TIMEOUT_HEAD_START", Patience.OF_NODE.toSeconds() + "s");
        environment.put("WEIR_TIMEOUT_STEP", STEP.toSeconds() + "s");
        return environment;
    }

    /** The system property that tells a node of this JVM. */
    String property(String option) {
        return "weir.transport." + path + "." + option;
    }

    private String variable(String option) {
        return property(option).toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    private static String lower(End end) {
        return end.name().toLowerCase(Locale.ROOT);
    }
}
