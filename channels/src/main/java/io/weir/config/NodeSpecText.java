package io.weir.config;

import io.weir.core.SettingText;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/** Prints a {@link NodeSpec} in the words of its properties, leaving out what is as by default. */
final class NodeSpecText {

    private final StringJoiner text = new StringJoiner(", ", "NodeSpec[", "]");

    private NodeSpecText() {}

    static String of(NodeSpec spec) {
        return new NodeSpecText().write(spec, NodeSpec.builder().build());
    }

    private String write(NodeSpec spec, NodeSpec plain) {
        for (NodeSetting<?> row : NodeSettings.all()) {
            String difference = row.difference(spec, plain);
            if (difference != null) {
                text.add(difference);
            }
        }
        policy("weir.transport", spec.paths(), plain.paths());
        new TreeMap<>(spec.transportOptions()).forEach(this::options);
        NamedSettings.PEERS.write(spec, text::add);
        new TreeMap<>(spec.peers()).forEach((name, peer) -> {
            policy("weir.peers." + name + ".transport", peer.paths(), PathPolicy.unchanged());
            if (peer.tls() != null) {
                // It is set in code, and not by properties.
                text.add("weir.peers." + name + ".tls=" + peer.tls());
            }
        });
        NamedSettings.PORTS.write(spec, text::add);
        new TreeMap<>(spec.ports())
                .forEach((name, port) ->
                        policy("weir.ports." + name + ".transport", port.paths(), PathPolicy.unchanged()));
        NamedSettings.SERVICES.write(spec, text::add);
        return text.toString();
    }

    private void options(String path, Map<String, String> options) {
        new TreeMap<>(options)
                .forEach((option, value) -> text.add("weir.transport." + path + '.' + option + '=' + value));
    }

    private void policy(String prefix, PathPolicy policy, PathPolicy plain) {
        if (!policy.order().equals(plain.order())) {
            text.add(prefix + ".order=" + String.join(",", policy.order()));
        }
        new TreeMap<>(policy.switches())
                .forEach((path, set) -> text.add(prefix + '.' + path + '=' + SettingText.word(set)));
    }
}
