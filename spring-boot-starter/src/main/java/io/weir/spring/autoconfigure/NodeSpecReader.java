package io.weir.spring.autoconfigure;

import io.weir.config.NodeSpec;
import io.weir.config.PeerSpec;
import io.weir.core.TlsSpec;
import io.weir.spring.NodeSpecCustomizer;
import io.weir.spring.PeersConnectionDetails;
import io.weir.spring.autoconfigure.WeirSettings.Value;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Puts the configuration of a node together from the properties, the connection details, SSL bundles and customizers.
 */
final class NodeSpecReader {

    private final Environment environment;
    private final PeersConnectionDetails details;
    private final ObjectProvider<SslBundles> bundles;
    private final ObjectProvider<WeirProperties> properties;

    NodeSpecReader(
            Environment environment,
            PeersConnectionDetails details,
            ObjectProvider<SslBundles> bundles,
            ObjectProvider<WeirProperties> properties) {
        this.environment = environment;
        this.details = details;
        this.bundles = bundles;
        this.properties = properties;
    }

    NodeSpec read(List<NodeSpecCustomizer> customizers) {
        WeirSettings settings = WeirSettings.of(environment);
        if (settings.areOfStarter()) {
            // What the node does not read is checked now as well, and not when it is first of use.
            var unused = properties.getObject();
        }
        Map<String, String> addresses = new TreeMap<>(settings.addresses());
        addresses.putAll(details.addresses());
        Map<String, String> texts = new TreeMap<>(settings.ofNode(addresses.keySet()));
        addresses.forEach((peer, address) -> texts.put("weir.peers." + peer + ".address", address));
        String application = environment.getProperty("spring.application.name");
        if (StringUtils.hasText(application)) {
            texts.putIfAbsent("weir.name", application);
        }
        NodeSpec.Builder builder = NodeSpec.builder().properties(texts);
        String bundle = text(settings, "weir.ssl.bundle");
        if (bundle != null) {
            TlsSpec tls = builder.build().tls();
            builder = builder.tls(
                    BundleMaterial.named("weir.ssl.bundle", bundle, bundles).over(tls));
        }
        builder = ofPeers(builder, settings, addresses.keySet());
        for (NodeSpecCustomizer customizer : customizers) {
            builder = customizer.customize(builder);
        }
        return builder.build();
    }

    private NodeSpec.Builder ofPeers(NodeSpec.Builder builder, WeirSettings settings, Set<String> peers) {
        NodeSpec.Builder changed = builder;
        for (String peer : peers) {
            String setting = "weir.peers." + peer + ".ssl.bundle";
            BundleMaterial material = material(peer, setting, text(settings, setting));
            if (material != null) {
                NodeSpec all = changed.build();
                PeerSpec spec = Objects.requireNonNull(all.peers().get(peer));
                changed = changed.peer(peer, spec.withTls(material.over(all.tls())));
            }
        }
        return changed;
    }

    private @Nullable BundleMaterial material(String peer, String setting, @Nullable String name) {
        SslBundle given = details.sslBundle(peer);
        if (given != null) {
            return BundleMaterial.of("the SSL bundle of the peer " + peer, given);
        }
        return name == null ? null : BundleMaterial.named(setting, name, bundles);
    }

    private static @Nullable String text(WeirSettings settings, String name) {
        Value value = settings.value(name);
        return value == null || value.text().isBlank() ? null : value.text();
    }
}
