package io.weir.config;

import io.weir.core.Availability;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.TlsSpec;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node is to be: the whole configuration as one immutable value that prints itself. A spec that exists is valid.
 *
 * <p>Made by the {@link #builder()}, from {@link Properties}, or from the system: see {@link #from} for the names and
 * for who wins. The defaults and their reasons stand in {@link NodeDefaults}.
 *
 * @param name for people, 1 to 255 bytes ({@code weir.name}); the host's name by default
 * @param listen where peers may connect, at least one address ({@code weir.listen})
 * @param advertised where others reach this node, if that differs from where it listens, as behind an address
 *     translation ({@code weir.advertise})
 * @param runtimeFolder the private folder for sockets between processes of one host ({@code weir.runtime-folder}); not
 *     touched before the node starts
 * @param nativeAllowed whether native code may be loaded ({@code weir.native}); without it, tcp and local remain
 * @param loops threads that own connections, 1 to 256 ({@code weir.loops})
 * @param waiting what such a thread does while it has nothing to do ({@code weir.waiting})
 * @param paths which paths are tried, and in which order ({@code weir.transport.order}, {@code weir.transport.<path>},
 *     {@code weir.repath})
 * @param repathProbation how long a session stays on a lesser path before it tries a better one, 10 ms to 1 h; twice as
 *     long after each time in vain, up to a minute ({@code weir.repath.probation})
 * @param transportOptions by path, then by option ({@code weir.transport.<path>.<option>})
 * @param peers by name ({@code weir.peers.<peer>.…})
 * @param ports by name ({@code weir.ports.<port>.…})
 * @param services by name ({@code weir.services.<service>.…})
 * @param security who may be a peer ({@code weir.security.…})
 * @param tls how TCP connections are protected ({@code weir.tls}, {@code weir.tls.…}); its files are not touched before
 *     the node starts
 * @param windows what may be under way on one channel ({@code weir.window.…})
 * @param memory what may be in memory at once
 * @param timeouts how long is waited for what ({@code weir.timeout.…})
 * @param keepAlive how a peer is noticed that is not there any more ({@code weir.keepalive.…})
 * @param limits how many there may be of what ({@code weir.max.…})
 * @param mailboxItems messages that a mailbox keeps because nobody matches them, 1 to 2<sup>24</sup>
 *     ({@code weir.mailbox.items})
 * @param gatewayAccept whether nodes may connect through gateways that are connected to this one
 *     ({@code weir.gateway.accept})
 * @param directory where nodes find each other and what they serve ({@code weir.directory})
 * @param zooKeeper how the directory in ZooKeeper is reached ({@code weir.directory.zookeeper.…})
 */
public record NodeSpec(
        String name,
        List<PeerAddress> listen,
        List<PeerAddress> advertised,
        Path runtimeFolder,
        boolean nativeAllowed,
        int loops,
        Waiting waiting,
        PathPolicy paths,
        Duration repathProbation,
        Map<String, Map<String, String>> transportOptions,
        Map<String, PeerSpec> peers,
        Map<String, PortSpec> ports,
        Map<String, ServiceSettings> services,
        SecuritySpec security,
        TlsSpec tls,
        WindowSpec windows,
        MemorySpec memory,
        TimeoutSpec timeouts,
        KeepAliveSpec keepAlive,
        LimitSpec limits,
        int mailboxItems,
        boolean gatewayAccept,
        DirectoryKind directory,
        ZooKeeperSpec zooKeeper) {

    private static final Logger LOG = LoggerFactory.getLogger(NodeSpec.class);

    /**
     * Copies what can change, and checks everything.
     *
     * @throws Misconfigured naming the property, its value and what is allowed
     */
    public NodeSpec {
        listen = List.copyOf(listen);
        advertised = List.copyOf(advertised);
        transportOptions = NodeSpecRules.copyOf(transportOptions);
        peers = Map.copyOf(peers);
        ports = Map.copyOf(ports);
        services = Map.copyOf(services);
        NodeSettings.NAME.check(name);
        NodeSettings.LISTEN.check(listen);
        NodeSettings.ADVERTISE.check(advertised);
        NodeSettings.LOOPS.check(loops);
        NodeSettings.REPATH_PROBATION.check(repathProbation);
        NodeSettings.WINDOW_ITEMS.check(windows.items());
        NodeSettings.WINDOW_BYTES.check(windows.bytes());
        NodeSpecRules.initial(windows.initial(), windows.items());
        NodeSettings.MESSAGE_MAX.check(memory.maxMessage());
        NodeSpecRules.nodeBytes(memory.nodeBytes(), memory.maxMessage());
        NodeSettings.MEMORY_MAX.check(memory.max());
        NodeSettings.RESUME_BYTES.check(memory.resumeBytes());
        NodeSettings.CONNECT_TIMEOUT.check(timeouts.connect());
        NodeSettings.HANDSHAKE_TIMEOUT.check(timeouts.handshake());
        NodeSettings.STEP_TIMEOUT.check(timeouts.step());
        NodeSettings.HEAD_START.check(timeouts.headStart());
        NodeSettings.DRAIN_TIMEOUT.check(timeouts.drain());
        NodeSettings.RESUME_TIMEOUT.check(timeouts.resume());
        NodeSettings.REJOIN_TIMEOUT.check(timeouts.rejoin());
        NodeSettings.START_TIMEOUT.check(timeouts.start());
        NodeSpecRules.keepAlive(keepAlive.interval(), keepAlive.timeout());
        NodeSettings.MAX_PEERS.check(limits.peers());
        NodeSettings.MAX_CHANNELS.check(limits.channels());
        NodeSettings.MAX_HANDSHAKES.check(limits.handshakes());
        NodeSettings.MAX_HANDSHAKE_RATE.check(limits.handshakeRate());
        NodeSettings.MAILBOX_ITEMS.check(mailboxItems);
        NodeSpecRules.paths(KnownPaths.load(), paths, transportOptions, peers, ports);
        NodeSpecRules.tls(tls, listen);
        NodeSpecRules.patience(peers);
        NodeSpecRules.gateways(peers);
        NodeSpecRules.tls(peers);
        NodeSpecRules.services(services);
        NodeSpecRules.directory(directory, zooKeeper);
    }

    /** Starts from the defaults alone. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The defaults, then these properties, then the system properties {@code weir.*}, then the environment
     * {@code WEIR_*}; later wins. Names that do not begin with {@code weir.} belong to somebody else and are passed
     * over; a name that does, but is no setting, is refused with the nearest right one.
     *
     * <p>A variable is named as its property in capitals, with {@code _} for each dot and dash:
     * {@code weir.runtime-folder} is {@code WEIR_RUNTIME_FOLDER}, and {@code weir.transport.shm.ring-size} is
     * {@code WEIR_TRANSPORT_SHM_RING_SIZE}. The name of a peer or port is the one already configured that looks the
     * same in this form; a new one is written in small letters with dashes, so {@code WEIR_PEERS_TAX_OFFICE_ADDRESS} is
     * {@code weir.peers.tax-office.address}. A variable that is empty counts as not set.
     *
     * @throws Misconfigured naming the setting and the remedy
     */
    public static NodeSpec from(Properties properties) {
        return NodeProperties.merge(properties, System.getProperties(), System.getenv())
                .build();
    }

    /** As {@link #from} without properties of one's own. */
    public static NodeSpec fromSystem() {
        return from(new Properties());
    }

    /**
     * The settings that the variables {@code WEIR_*} of an environment stand for, by the names of their properties; see
     * {@link #from}. For who puts settings together in another way, which then are read by {@link Builder#properties}.
     *
     * @param named names of properties that are set elsewhere: a variable that may mean several peers, ports or
     *     services means one of these
     * @throws Misconfigured if a variable may mean several, or two mean one
     */
    public static Map<String, String> settingsOf(Map<String, String> environment, Set<String> named) {
        return NodeProperties.settingsOf(environment, named);
    }

    /**
     * Whether this system property, which begins with {@code weir.}, means something to tests or launchers and nothing
     * to a node, as {@code weir.log} does: {@link #from} passes it over.
     */
    public static boolean isForTools(String property) {
        return NodeProperties.isOfTheBuild(property);
    }

    /** A builder that starts from these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** The settings of this path's adapter. */
    public TransportSettings settings(String path) {
        return new TransportSettings(runtimeFolder, nativeAllowed, transportOptions.getOrDefault(path, Map.of()), tls);
    }

    /**
     * Asks an adapter whether its path can be used with these settings. May load native libraries, and take as long as
     * that does; never throws but:
     *
     * @throws Misconfigured if the adapter can't work with its options; names the setting
     */
    public Availability availability(Transport adapter) {
        try {
            return adapter.availability(settings(adapter.name()));
        } catch (Misconfigured e) {
            throw withSetting(adapter, e);
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("The adapter of path {} failed", adapter.name(), e);
            return new Availability.Missing("the adapter failed: " + e);
        }
    }

    /** An adapter knows its options without the prefix that the user has written. */
    private static Misconfigured withSetting(Transport adapter, Misconfigured refusal) {
        String text = String.valueOf(refusal.getMessage());
        boolean beginsWithOption = adapter.options().stream().anyMatch(option -> text.startsWith(option + '='));
        return beginsWithOption ? new Misconfigured("weir.transport." + adapter.name() + '.' + text, refusal) : refusal;
    }

    /** Whether connections between hosts are encrypted. */
    public boolean tlsOn() {
        return tls.enabled();
    }

    /** The paths to the peer that the configuration gives this name; the node's own if it names none. */
    public PathPolicy pathsToPeer(String peer) {
        PeerSpec spec = peers.get(peer);
        return spec == null ? paths : paths.and(spec.paths());
    }

    /** What is said of this service; {@link ServiceSettings#STANDARD} if the configuration does not name it. */
    public ServiceSettings service(String name) {
        return services.getOrDefault(name, ServiceSettings.STANDARD);
    }

    /** Every value that differs from its default. */
    @Override
    public String toString() {
        return NodeSpecText.of(this);
    }

    /**
     * Puts a spec together. Not thread-safe. Values are checked by {@link #build()}; what is said twice, the later
     * wins.
     */
    public static final class Builder {

        /** Of the rows of the table, as far as something was said. */
        private final IdentityHashMap<NodeSetting.Value<?>, Object> values = new IdentityHashMap<>();

        private PathPolicy paths = PathPolicy.standard();
        private final Map<String, Map<String, String>> transportOptions = new TreeMap<>();
        private final Map<String, PeerAddress> peerAddresses = new TreeMap<>();
        private final Map<String, PathPolicy> peerPaths = new TreeMap<>();
        private final Map<String, PeerSpec.Connect> peerConnects = new TreeMap<>();
        private final Map<String, Duration> peerPatience = new TreeMap<>();
        private final Map<String, List<PeerAddress>> peerGateways = new TreeMap<>();
        private final Map<String, TlsSpec> peerTls = new TreeMap<>();
        private final Map<String, PortSpec> ports = new TreeMap<>();
        private final Map<String, ServiceSettings> services = new TreeMap<>();
        private TlsSpec tls = NodeDefaults.TLS;
        private @Nullable Secret secret;
        private @Nullable Secret formerSecret;
        private @Nullable Requirement require;
        private ZooKeeperSpec zooKeeper = NodeDefaults.ZOOKEEPER;

        private Builder() {}

        private Builder(NodeSpec spec) {
            NodeSettings.values().forEach(row -> copy(row, spec));
            paths = spec.paths;
            spec.transportOptions.forEach((path, options) -> transportOptions.put(path, new TreeMap<>(options)));
            spec.peers.forEach((peer, is) -> {
                peerAddresses.put(peer, is.address());
                peerPaths.put(peer, is.paths());
                peerConnects.put(peer, is.connect());
                peerPatience.put(peer, is.patience());
                peerGateways.put(peer, is.gateways());
                var unused = peerTls(peer, is.tls());
            });
            ports.putAll(spec.ports);
            services.putAll(spec.services);
            tls = spec.tls;
            secret = spec.security.secret();
            formerSecret = spec.security.formerSecret();
            require = spec.security.require();
            zooKeeper = spec.zooKeeper;
        }

        /** A value that is as by default is not said: it may depend on others, which may change. */
        private <T> void copy(NodeSetting.Value<T> row, NodeSpec spec) {
            T value = row.of().apply(spec);
            if (!value.equals(get(row))) {
                var unused = set(row, value);
            }
        }

        <T> Builder set(NodeSetting.Value<T> row, T value) {
            // Without this, null would stand for the default.
            values.put(row, Objects.requireNonNull(value, row.name()));
            return this;
        }

        /** What was said, or the default. */
        @SuppressWarnings("unchecked") // set() has put it there.
        <T> T get(NodeSetting.Value<T> row) {
            Object said = values.get(row);
            return said == null ? row.standard().apply(this) : (T) said;
        }

        /** See {@link NodeSpec#name()}. */
        public Builder name(String name) {
            return set(NodeSettings.NAME, name);
        }

        /** See {@link NodeSpec#listen()}; replaces what was there. */
        public Builder listen(List<PeerAddress> listen) {
            return set(NodeSettings.LISTEN, List.copyOf(listen));
        }

        /** As {@link #listen(List)}, each address in a form that {@link PeerAddress#parse} reads. */
        public Builder listen(String... addresses) {
            return listen(Arrays.stream(addresses).map(PeerAddress::parse).toList());
        }

        /** See {@link NodeSpec#runtimeFolder()}. */
        public Builder runtimeFolder(Path runtimeFolder) {
            return set(NodeSettings.RUNTIME_FOLDER, runtimeFolder);
        }

        /** See {@link NodeSpec#nativeAllowed()}. */
        public Builder nativeAllowed(boolean nativeAllowed) {
            return set(NodeSettings.NATIVE, nativeAllowed);
        }

        /** See {@link NodeSpec#loops()}. */
        public Builder loops(int loops) {
            return set(NodeSettings.LOOPS, loops);
        }

        /** See {@link NodeSpec#waiting()}. */
        public Builder waiting(Waiting waiting) {
            return set(NodeSettings.WAITING, waiting);
        }

        /** See {@link NodeSpec#paths()}. */
        public Builder paths(PathPolicy paths) {
            this.paths = paths;
            return this;
        }

        /**
         * The order of the paths alone, best first, or {@link PathPolicy#MEASURED} and then the paths; their switches
         * stay.
         */
        public Builder order(String... order) {
            return paths(new PathPolicy(List.of(order), paths.switches(), paths.repath()));
        }

        /** Whether sessions may change their path while they live; always by default. */
        public Builder repath(Repath repath) {
            return paths(paths.with(repath));
        }

        /** One path's switch. */
        public Builder path(String path, PathSwitch set) {
            return paths(paths.and(new PathPolicy(List.of(), Map.of(path, set))));
        }

        /** One option of a path; see {@link NodeSpec#transportOptions()}. */
        public Builder transportOption(String path, String option, String value) {
            transportOptions.computeIfAbsent(path, any -> new TreeMap<>()).put(option, value);
            return this;
        }

        /** One peer; replaces what was said of it. */
        public Builder peer(String peer, PeerSpec spec) {
            return peerAddress(peer, spec.address())
                    .peerPaths(peer, spec.paths())
                    .peerConnect(peer, spec.connect())
                    .peerPatience(peer, spec.patience())
                    .peerGateways(peer, spec.gateways())
                    .peerTls(peer, spec.tls());
        }

        /** One peer's address, in a form that {@link PeerAddress#parse} reads. */
        public Builder peer(String peer, String address) {
            return peerAddress(peer, PeerAddress.parse(address));
        }

        /** One port; replaces what was said of it. */
        public Builder port(String port, PortSpec spec) {
            ports.put(port, spec);
            return this;
        }

        /** See {@link NodeSpec#tls()}; replaces what was there. */
        public Builder tls(TlsSpec tls) {
            this.tls = tls;
            return this;
        }

        /** See {@link WindowSpec#items()}. */
        public Builder windowItems(long windowItems) {
            return set(NodeSettings.WINDOW_ITEMS, windowItems);
        }

        /** See {@link WindowSpec#bytes()}. */
        public Builder windowBytes(long windowBytes) {
            return set(NodeSettings.WINDOW_BYTES, windowBytes);
        }

        /** See {@link WindowSpec#initial()}; if never said, at most the window. */
        public Builder initialItems(long initialItems) {
            return set(NodeSettings.WINDOW_INITIAL, initialItems);
        }

        /** See {@link MemorySpec#maxMessage()}. */
        public Builder maxMessage(int maxMessage) {
            return set(NodeSettings.MESSAGE_MAX, maxMessage);
        }

        /** See {@link MemorySpec#max()}. */
        public Builder memoryMax(long memoryMax) {
            return set(NodeSettings.MEMORY_MAX, memoryMax);
        }

        /** See {@link MemorySpec#nodeBytes()}. */
        public Builder nodeBytes(long nodeBytes) {
            return set(NodeSettings.NODE_BYTES, nodeBytes);
        }

        /** See {@link TimeoutSpec#connect()}. */
        public Builder connectTimeout(Duration connectTimeout) {
            return set(NodeSettings.CONNECT_TIMEOUT, connectTimeout);
        }

        /** See {@link TimeoutSpec#handshake()}. */
        public Builder handshakeTimeout(Duration handshakeTimeout) {
            return set(NodeSettings.HANDSHAKE_TIMEOUT, handshakeTimeout);
        }

        /** See {@link TimeoutSpec#step()}. */
        public Builder stepTimeout(Duration stepTimeout) {
            return set(NodeSettings.STEP_TIMEOUT, stepTimeout);
        }

        /** See {@link TimeoutSpec#headStart()}. */
        public Builder headStart(Duration headStart) {
            return set(NodeSettings.HEAD_START, headStart);
        }

        /** See {@link TimeoutSpec#drain()}. */
        public Builder drainTimeout(Duration drainTimeout) {
            return set(NodeSettings.DRAIN_TIMEOUT, drainTimeout);
        }

        /** See {@link KeepAliveSpec#interval()}. */
        public Builder keepAliveInterval(Duration keepAliveInterval) {
            return set(NodeSettings.KEEP_ALIVE_INTERVAL, keepAliveInterval);
        }

        /** See {@link KeepAliveSpec#timeout()}. */
        public Builder keepAliveTimeout(Duration keepAliveTimeout) {
            return set(NodeSettings.KEEP_ALIVE_TIMEOUT, keepAliveTimeout);
        }

        /** See {@link TimeoutSpec#rejoin()}. */
        public Builder rejoinTimeout(Duration rejoinTimeout) {
            return set(NodeSettings.REJOIN_TIMEOUT, rejoinTimeout);
        }

        /** See {@link MemorySpec#resumeBytes()}. */
        public Builder resumeBytes(long resumeBytes) {
            return set(NodeSettings.RESUME_BYTES, resumeBytes);
        }

        /** See {@link TimeoutSpec#resume()}. */
        public Builder resumeTimeout(Duration resumeTimeout) {
            return set(NodeSettings.RESUME_TIMEOUT, resumeTimeout);
        }

        /** See {@link NodeSpec#repathProbation()}. */
        public Builder repathProbation(Duration repathProbation) {
            return set(NodeSettings.REPATH_PROBATION, repathProbation);
        }

        /** See {@link TimeoutSpec#start()}. */
        public Builder startTimeout(Duration startTimeout) {
            return set(NodeSettings.START_TIMEOUT, startTimeout);
        }

        /** See {@link LimitSpec#peers()}. */
        public Builder maxPeers(int maxPeers) {
            return set(NodeSettings.MAX_PEERS, maxPeers);
        }

        /** See {@link LimitSpec#channels()}. */
        public Builder maxChannels(int maxChannels) {
            return set(NodeSettings.MAX_CHANNELS, maxChannels);
        }

        /** See {@link NodeSpec#mailboxItems()}. */
        public Builder mailboxItems(int mailboxItems) {
            return set(NodeSettings.MAILBOX_ITEMS, mailboxItems);
        }

        /** What each peer has to prove to know, and we to it; see {@link SecuritySpec#secret()}. */
        public Builder secret(Secret secret) {
            this.secret = secret;
            return this;
        }

        /** What is accepted as well while the secret is being changed; see {@link SecuritySpec#formerSecret()}. */
        public Builder formerSecret(Secret formerSecret) {
            this.formerSecret = formerSecret;
            return this;
        }

        /** What connections must have; see {@link SecuritySpec#require()}. */
        public Builder require(Requirement require) {
            this.require = require;
            return this;
        }

        /** See {@link LimitSpec#handshakes()}. */
        public Builder maxHandshakes(int maxHandshakes) {
            return set(NodeSettings.MAX_HANDSHAKES, maxHandshakes);
        }

        /** See {@link LimitSpec#handshakeRate()}. */
        public Builder maxHandshakeRate(int maxHandshakeRate) {
            return set(NodeSettings.MAX_HANDSHAKE_RATE, maxHandshakeRate);
        }

        /** See {@link NodeSpec#gatewayAccept()}. */
        public Builder gatewayAccept(boolean gatewayAccept) {
            return set(NodeSettings.GATEWAY_ACCEPT, gatewayAccept);
        }

        /**
         * See {@link NodeSpec#advertised()}; each in a form that {@link PeerAddress#parse} reads. Replaces those from
         * before.
         */
        public Builder advertise(String... addresses) {
            return advertise(Arrays.stream(addresses).map(PeerAddress::parse).toList());
        }

        Builder advertise(List<PeerAddress> addresses) {
            return set(NodeSettings.ADVERTISE, List.copyOf(addresses));
        }

        /** One service; replaces what was said of it. */
        public Builder service(String service, ServiceSettings settings) {
            services.put(service, settings);
            return this;
        }

        /** See {@link NodeSpec#directory()}. */
        public Builder directory(DirectoryKind directory) {
            return set(NodeSettings.DIRECTORY, directory);
        }

        /** See {@link NodeSpec#zooKeeper()}; replaces what was there. */
        public Builder zooKeeper(ZooKeeperSpec zooKeeper) {
            this.zooKeeper = zooKeeper;
            return this;
        }

        Builder zooKeeper(UnaryOperator<ZooKeeperSpec> change) {
            return zooKeeper(change.apply(zooKeeper));
        }

        /**
         * Settings by name, as {@link NodeSpec#from} describes them, over what was said before. Reads neither the
         * system properties nor the environment.
         *
         * @throws Misconfigured naming the setting and the remedy
         */
        public Builder properties(Map<String, String> properties) {
            return NodeProperties.apply(this, properties);
        }

        /**
         * The spec.
         *
         * @throws Misconfigured naming the property, its value and what is allowed
         */
        public NodeSpec build() {
            return new NodeSpec(
                    get(NodeSettings.NAME),
                    get(NodeSettings.LISTEN),
                    get(NodeSettings.ADVERTISE),
                    get(NodeSettings.RUNTIME_FOLDER),
                    get(NodeSettings.NATIVE),
                    get(NodeSettings.LOOPS),
                    get(NodeSettings.WAITING),
                    paths,
                    get(NodeSettings.REPATH_PROBATION),
                    transportOptions,
                    peers(),
                    ports,
                    services,
                    new SecuritySpec(secret, formerSecret, require),
                    tls,
                    new WindowSpec(
                            get(NodeSettings.WINDOW_ITEMS),
                            get(NodeSettings.WINDOW_BYTES),
                            get(NodeSettings.WINDOW_INITIAL)),
                    new MemorySpec(
                            get(NodeSettings.MESSAGE_MAX),
                            get(NodeSettings.NODE_BYTES),
                            get(NodeSettings.MEMORY_MAX),
                            get(NodeSettings.RESUME_BYTES)),
                    new TimeoutSpec(
                            get(NodeSettings.CONNECT_TIMEOUT),
                            get(NodeSettings.HANDSHAKE_TIMEOUT),
                            get(NodeSettings.STEP_TIMEOUT),
                            get(NodeSettings.HEAD_START),
                            get(NodeSettings.DRAIN_TIMEOUT),
                            get(NodeSettings.RESUME_TIMEOUT),
                            get(NodeSettings.REJOIN_TIMEOUT),
                            get(NodeSettings.START_TIMEOUT)),
                    new KeepAliveSpec(get(NodeSettings.KEEP_ALIVE_INTERVAL), get(NodeSettings.KEEP_ALIVE_TIMEOUT)),
                    new LimitSpec(
                            get(NodeSettings.MAX_PEERS),
                            get(NodeSettings.MAX_CHANNELS),
                            get(NodeSettings.MAX_HANDSHAKES),
                            get(NodeSettings.MAX_HANDSHAKE_RATE)),
                    get(NodeSettings.MAILBOX_ITEMS),
                    get(NodeSettings.GATEWAY_ACCEPT),
                    get(NodeSettings.DIRECTORY),
                    zooKeeper);
        }

        private Map<String, PeerSpec> peers() {
            Map<String, PeerSpec> peers = new TreeMap<>();
            for (String peer : peerNames()) {
                PeerAddress address = peerAddresses.get(peer);
                if (address == null) {
                    throw new Misconfigured("the peer " + peer + " has no address; set weir.peers." + peer
                            + ".address=tcp://host:port");
                }
                peers.put(
                        peer,
                        new PeerSpec(
                                address,
                                peerPaths(peer),
                                peerConnects.getOrDefault(peer, NodeDefaults.PEER_CONNECT),
                                peerPatience.getOrDefault(peer, NodeDefaults.PEER_PATIENCE),
                                peerGateways.getOrDefault(peer, List.of()),
                                peerTls.get(peer)));
            }
            return peers;
        }

        Set<String> peerNames() {
            Set<String> names = new TreeSet<>(peerAddresses.keySet());
            names.addAll(peerPaths.keySet());
            names.addAll(peerConnects.keySet());
            names.addAll(peerPatience.keySet());
            names.addAll(peerGateways.keySet());
            return names;
        }

        Set<String> portNames() {
            return ports.keySet();
        }

        Set<String> serviceNames() {
            return services.keySet();
        }

        ServiceSettings service(String service) {
            return services.getOrDefault(service, ServiceSettings.STANDARD);
        }

        PathPolicy paths() {
            return paths;
        }

        Builder tls(UnaryOperator<TlsSpec.Builder> change) {
            return tls(change.apply(tls.toBuilder()).build());
        }

        PathPolicy peerPaths(String peer) {
            return peerPaths.getOrDefault(peer, PathPolicy.unchanged());
        }

        PortSpec port(String port) {
            return ports.getOrDefault(port, new PortSpec(PathPolicy.unchanged()));
        }

        Builder peerAddress(String peer, PeerAddress address) {
            peerAddresses.put(peer, address);
            return this;
        }

        Builder peerPaths(String peer, PathPolicy paths) {
            peerPaths.put(peer, paths);
            return this;
        }

        Builder peerConnect(String peer, PeerSpec.Connect connect) {
            peerConnects.put(peer, connect);
            return this;
        }

        Builder peerPatience(String peer, Duration patience) {
            peerPatience.put(peer, patience);
            return this;
        }

        Builder peerGateways(String peer, List<PeerAddress> gateways) {
            peerGateways.put(peer, List.copyOf(gateways));
            return this;
        }

        private Builder peerTls(String peer, @Nullable TlsSpec tls) {
            if (tls == null) {
                peerTls.remove(peer);
            } else {
                peerTls.put(peer, tls);
            }
            return this;
        }
    }
}
