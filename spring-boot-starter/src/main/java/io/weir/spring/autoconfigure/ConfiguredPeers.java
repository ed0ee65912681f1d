package io.weir.spring.autoconfigure;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerState;
import io.weir.config.NodeSpec;
import io.weir.config.Password;
import io.weir.config.PathPolicy;
import io.weir.core.Misconfigured;
import io.weir.service.Balancer;
import io.weir.service.ServiceClient;
import io.weir.service.ServiceOptions;
import io.weir.service.Services;
import io.weir.service.remote.CallCodec;
import io.weir.service.remote.ProxyOptions;
import io.weir.spring.ProxyOptionsCustomizer;
import io.weir.spring.WeirPeer;
import io.weir.spring.WeirPeers;
import io.weir.spring.autoconfigure.WeirProperties.PeerSettings;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import reactor.core.publisher.Mono;

/** The peers that the properties name. */
final class ConfiguredPeers implements WeirPeers {

    /** As for a peer that says nothing. */
    private static final int TRIES = 3;

    private final Node node;
    private final Services services;
    private final ObjectProvider<CallCodec> codec;
    private final List<ProxyOptionsCustomizer> customizers;
    private final SortedMap<String, WeirPeer> peers = new TreeMap<>();
    private final WeirPeer any;

    ConfiguredPeers(
            Node node,
            Services services,
            ObjectProvider<CallCodec> codec,
            Map<String, PeerSettings> settings,
            List<ProxyOptionsCustomizer> customizers) {
        this.node = node;
        this.services = services;
        this.codec = codec;
        this.customizers = customizers;
        settings.forEach((name, of) -> peers.put(name, new Configured(name, of)));
        // Those that only connection details or a customizer know.
        node.spec().peers().keySet().forEach(name -> peers.computeIfAbsent(name, its -> new Configured(its, null)));
        this.any = new Configured("", null);
    }

    @Override
    public WeirPeer get(String name) {
        WeirPeer peer = peers.get(name);
        if (peer == null) {
            throw new Misconfigured("there is no peer '" + name + "': set weir.peers." + name
                    + ".address=tcp://host:port, or weir.peers." + name + ".service for one in the directory; known: "
                    + names());
        }
        return peer;
    }

    @Override
    public WeirPeer any() {
        return any;
    }

    @Override
    public Set<String> names() {
        return Collections.unmodifiableSet(peers.keySet());
    }

    /** One of them, or anybody. */
    private final class Configured implements WeirPeer {

        private final String name;
        private final @Nullable PeerSettings settings;
        private final boolean hasAddress;
        private final UnaryOperator<ServiceOptions> options;
        private final ConcurrentMap<String, ServiceClient> clients = new ConcurrentHashMap<>();

        Configured(String name, @Nullable PeerSettings settings) {
            this.name = name;
            this.settings = settings;
            this.hasAddress = node.spec().peers().containsKey(name);
            this.options = settings == null ? options -> options : changes(settings);
        }

        private UnaryOperator<ServiceOptions> changes(PeerSettings of) {
            Password password = of.password() == null ? null : password(of.password());
            PathPolicy paths = hasAddress ? PathPolicy.unchanged() : paths(of.transport());
            Duration wait = of.patience();
            return options -> {
                ServiceOptions changed = options.withPaths(paths);
                if (password != null) {
                    changed = changed.withPassword(password);
                }
                if (wait != null) {
                    changed = changed.withPatience(wait);
                }
                if (of.balance() == null) {
                    return changed;
                }
                return changed.withBalancer(
                        switch (of.balance()) {
                            case ROUND_ROBIN -> Balancer.roundRobin();
                            case LEAST_OUTSTANDING -> Balancer.leastOutstanding();
                        });
            };
        }

        private Password password(String text) {
            try {
                return Password.of(text);
            } catch (Misconfigured e) {
                throw new Misconfigured("weir.peers." + name + ".password: " + e.getMessage(), e);
            }
        }

        /** As those of a peer with an address are read, with the same refusals. */
        private PathPolicy paths(Map<String, String> transport) {
            String peer = "weir.peers." + name;
            Map<String, String> texts = new TreeMap<>();
            transport.forEach((path, text) -> texts.put(peer + ".transport." + path, text));
            if (texts.isEmpty()) {
                return PathPolicy.unchanged();
            }
            texts.put(peer + ".address", "tcp://127.0.0.1:1");
            return Optional.ofNullable(
                            NodeSpec.builder().properties(texts).build().peers().get(name))
                    .orElseThrow()
                    .paths();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public ServiceClient port(String port) {
            return clients.computeIfAbsent(
                    port, its -> hasAddress ? services.at(name, its, options) : services.service(its, options));
        }

        @Override
        public <T> T client(Class<T> type) {
            return client(type, settings == null || settings.service() == null ? type.getName() : settings.service());
        }

        @Override
        public <T> T client(Class<T> type, String service) {
            ProxyOptions terms = new ProxyOptions(WeirCodecAutoConfiguration.required(codec), null, TRIES, Set.of());
            if (settings != null) {
                terms = terms.tries(settings.tries());
                Duration deadline = settings.deadline();
                terms = deadline == null ? terms : terms.deadline(deadline);
            }
            for (ProxyOptionsCustomizer customizer : customizers) {
                terms = customizer.customize(type, terms);
            }
            return services.client(port(service), type, terms);
        }

        @Override
        public Mono<Peer> connection() {
            return hasAddress
                    ? node.peer(name)
                    : Mono.error(() -> new Misconfigured("the peer '" + name
                            + "' has no address, so there may be several connections: set weir.peers." + name
                            + ".address, or use its ports"));
        }

        @Override
        public Optional<PeerState> state() {
            return Optional.ofNullable(node.peerStates().get(name));
        }

        @Override
        public String toString() {
            return "WeirPeer[" + (name.isEmpty() ? "any" : name) + ']';
        }
    }
}
