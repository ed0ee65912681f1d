package io.weir.config;

import io.weir.core.SettingText;
import io.weir.core.TlsSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
        repath("weir.repath", spec.paths(), plain.paths());
        new TreeMap<>(spec.transportOptions()).forEach(this::options);
        new TreeMap<>(spec.peers()).forEach((name, peer) -> {
            text.add("weir.peers." + name + ".address=" + peer.address());
            policy("weir.peers." + name + ".transport", peer.paths(), PathPolicy.unchanged());
            repath("weir.peers." + name + ".repath", peer.paths(), PathPolicy.unchanged());
            add(
                    "weir.peers." + name + ".connect",
                    SettingText.word(peer.connect()),
                    SettingText.word(NodeDefaults.PEER_CONNECT));
            time("weir.peers." + name + ".wait", peer.patience(), NodeDefaults.PEER_PATIENCE);
            add("weir.peers." + name + ".gateway", peer.gateways(), List.of(), NodeSettings.join(peer.gateways()));
            named("weir.peers." + name + ".tls", peer.tls());
        });
        new TreeMap<>(spec.ports()).forEach((name, port) -> {
            policy("weir.ports." + name + ".transport", port.paths(), PathPolicy.unchanged());
            if (port.allow() != null) {
                text.add("weir.ports." + name + ".allow=" + PortSpec.written(port.allow()));
            }
        });
        tls(spec.tls(), plain.tls());
        secret("weir.security.secret", spec.security().secret());
        secret("weir.security.former-secret", spec.security().formerSecret());
        if (spec.security().require() != null) {
            text.add("weir.security.require=" + SettingText.word(spec.security().require()));
        }
        directory(spec, plain.zooKeeper());
        new TreeMap<>(spec.services()).forEach((name, is) -> service("weir.services." + name, is));
        return text.toString();
    }

    private void secret(String property, @Nullable Secret secret) {
        if (secret != null) {
            text.add(secret.file() == null ? property + "=(not shown)" : property + "-file=" + secret.file());
        }
    }

    private void service(String prefix, ServiceSettings is) {
        named(prefix + ".addresses", is.addresses().isEmpty() ? null : NodeSettings.join(is.addresses()));
        Password password = is.password();
        if (password != null) {
            text.add(
                    password.file() == null
                            ? prefix + ".password=(not shown)"
                            : prefix + ".password-file=" + password.file());
        }
        time(prefix + ".wait", is.patience(), NodeDefaults.SERVICE_PATIENCE);
        add(prefix + ".balance", SettingText.word(is.balance()), SettingText.word(NodeDefaults.SERVICE_BALANCE));
    }

    private void directory(NodeSpec spec, ZooKeeperSpec plain) {
        named("weir.directory.zookeeper.connect", spec.zooKeeper().connect());
        add("weir.directory.zookeeper.root", spec.zooKeeper().root(), plain.root());
        named("weir.directory.zookeeper.user", spec.zooKeeper().user());
        secret("weir.directory.zookeeper.password", spec.zooKeeper().password());
        time("weir.directory.zookeeper.timeout", spec.zooKeeper().timeout(), plain.timeout());
        time("weir.directory.zookeeper.session", spec.zooKeeper().session(), plain.session());
    }

    private void options(String path, Map<String, String> options) {
        new TreeMap<>(options)
                .forEach((option, value) -> text.add("weir.transport." + path + '.' + option + '=' + value));
    }

    private void policy(String prefix, PathPolicy policy, PathPolicy plain) {
        add(prefix + ".order", policy.order(), plain.order(), String.join(",", policy.order()));
        new TreeMap<>(policy.switches())
                .forEach((path, set) -> text.add(prefix + '.' + path + '=' + SettingText.word(set)));
    }

    private void repath(String property, PathPolicy policy, PathPolicy plain) {
        if (policy.repath() != null && policy.repath() != plain.repath()) {
            text.add(property + '=' + SettingText.word(policy.repath()));
        }
    }

    private void tls(TlsSpec tls, TlsSpec plain) {
        add("weir.tls", tls.enabled() ? "on" : "off", plain.enabled() ? "on" : "off");
        named("weir.tls.certificate", tls.certificate());
        named("weir.tls.key", tls.key());
        secret("weir.tls.key-password", tls.keyPassword());
        named("weir.tls.key-store", tls.keyStore());
        secret("weir.tls.key-store-password", tls.keyStorePassword());
        named("weir.tls.trust", tls.trust());
        named("weir.tls.trust-store", tls.trustStore());
        secret("weir.tls.trust-store-password", tls.trustStorePassword());
        add("weir.tls.client-auth", SettingText.word(tls.clientAuth()), SettingText.word(plain.clientAuth()));
        add("weir.tls.verify-host", tls.verifyHost() ? "on" : "off", plain.verifyHost() ? "on" : "off");
        add("weir.tls.protocols", tls.protocols(), plain.protocols(), String.join(",", tls.protocols()));
        time("weir.tls.reload", tls.reload(), plain.reload());
    }

    private void named(String property, @Nullable Object value) {
        if (value != null) {
            text.add(property + '=' + value);
        }
    }

    private void secret(String property, @Nullable String value) {
        named(property, value == null ? null : "***");
    }

    private void time(String property, Duration value, Duration plain) {
        add(property, SettingText.of(value), SettingText.of(plain));
    }

    private void add(String property, Object value, Object plain) {
        add(property, value, plain, value.toString());
    }

    private void add(String property, Object value, Object plain, String written) {
        if (!Objects.equals(value, plain)) {
            text.add(property + '=' + written);
        }
    }
}
