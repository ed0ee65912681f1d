package io.weir.config;

import io.weir.core.Availability;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.RuntimeFolder;
import io.weir.core.TlsSpec;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
 * @param runtimeFolder the private folder for sockets between processes of one host ({@code weir.runtime-folder}); not
 *     touched before the node starts
 * @param nativeAllowed whether native code may be loaded ({@code weir.native}); without it, tcp and local remain
 * @param loops threads that own connections, 1 to 256 ({@code weir.loops})
 * @param waiting what such a thread does while it has nothing to do ({@code weir.waiting})
 * @param paths which paths are tried, and in which order ({@code weir.transport.order}, {@code weir.transport.<path>},
 *     {@code weir.repath})
 * @param transportOptions by path, then by option ({@code weir.transport.<path>.<option>})
 * @param peers by name ({@code weir.peers.<peer>.…})
 * @param ports by name ({@code weir.ports.<port>.…})
 * @param tls how TCP connections are protected ({@code weir.tls}, {@code weir.tls.…}); its files are not touched before
 *     the node starts
 * @param windowItems messages of one channel that may be under way, 1 to 2<sup>30</sup> ({@code weir.window.items})
 * @param windowBytes bytes of one channel that may be under way, 64 KiB to 1 TiB ({@code weir.window.bytes})
 * @param initialItems messages that may travel before the receiver asks, 0 to the window
 *     ({@code weir.window.initial})
 * @param maxMessage bytes of the longest message, from 1024 ({@code weir.message.max})
 * @param nodeBytes bytes of messages being put together, or lent beyond their windows, at least the longest message, up
 *     to 1 TiB ({@code weir.node.bytes})
 * @param memoryMax bytes that the node keeps on behalf of all its peers, or promises them, 16 MiB to 1 TiB; 0: half of
 *     what the JVM may have, of its heap or its direct memory, whichever is less ({@code weir.memory.max})
 * @param connectTimeout until a peer's address answers, up to 1 h ({@code weir.timeout.connect})
 * @param handshakeTimeout until a connection can be used, up to 1 h ({@code weir.timeout.handshake})
 * @param stepTimeout until one path is open or given up, and until a move to it counts as failed because nothing gets
 *     through, up to 1 h ({@code weir.timeout.step})
 * @param headStart how long a better path may take to open before the session begins over TCP and climbs as soon as it
 *     is open, 0 to 1 h ({@code weir.timeout.head-start}); only where it may change its path, {@link Repath#ALWAYS}
 * @param drainTimeout how long closing waits for what is under way, 0 to 1 h ({@code weir.timeout.drain})
 * @param keepAliveInterval after this time in which a peer has said nothing it is asked whether it is there, 10 ms to
 *     30 min ({@code weir.keepalive.interval})
 * @param keepAliveTimeout a peer that has said nothing for this time is given up, twice the interval to 1 h
 *     ({@code weir.keepalive.timeout})
 * @param resumeTimeout how long a session may be without a path, or on its way to another one, 10 ms to 1 h
 *     ({@code weir.timeout.resume})
 * @param rejoinTimeout how long a session waits for another bootstrap connection when the other side's host, or
 *     something on the way, has closed it, 0 to 1 h ({@code weir.timeout.rejoin}); when nothing is heard any more it
 *     waits for {@code resumeTimeout}
 * @param resumeBytes bytes under way that a link keeps at most to send them again, 64 KiB to 1 TiB
 *     ({@code weir.resume.bytes})
 * @param repathProbation how long a session stays on a lesser path before it tries a better one, 10 ms to 1 h; twice as
 *     long after each time in vain, up to a minute ({@code weir.repath.probation})
 * @param startTimeout how long starting waits for the peers that are required, 1 ms to 1 h ({@code weir.timeout.start})
 * @param maxPeers connected peers, whichever side has connected, 1 to 2<sup>20</sup> ({@code weir.max.peers})
 * @param maxChannels open channels per peer, 1 to 2<sup>20</sup> ({@code weir.max.channels})
 * @param mailboxItems messages that a mailbox keeps because nobody matches them, 1 to 2<sup>24</sup>
 *     ({@code weir.mailbox.items})
 * @param security who may be a peer ({@code weir.security.…})
 * @param maxHandshakes accepted connections that are on their way to become sessions, 1 to 65536
 *     ({@code weir.max.handshakes})
 * @param maxHandshakeRate new connections that may be accepted in a second, of those that have proved what they have
 *     to, those of peers with a session here not counted, 1 to 10<sup>6</sup> ({@code weir.max.handshake-rate})
 * @param gatewayAccept whether nodes may connect through gateways that are connected to this one
 *     ({@code weir.gateway.accept})
 * @param directory where nodes find each other and what they serve ({@code weir.directory})
 * @param zooKeeper how the directory in ZooKeeper is reached ({@code weir.directory.zookeeper.…})
 * @param advertised where others reach this node, if that differs from where it listens, as behind an address
 *     translation ({@code weir.advertise})
 * @param services by name ({@code weir.services.<service>.…})
 */
public record NodeSpec(
        String name,
        List<PeerAddress> listen,
        Path runtimeFolder,
        boolean nativeAllowed,
        int loops,
        Waiting waiting,
        PathPolicy paths,
        Map<String, Map<String, String>> transportOptions,
        Map<String, PeerSpec> peers,
        Map<String, PortSpec> ports,
        TlsSpec tls,
        long windowItems,
        long windowBytes,
        long initialItems,
        int maxMessage,
        long nodeBytes,
        long memoryMax,
        Duration connectTimeout,
        Duration handshakeTimeout,
        Duration stepTimeout,
        Duration headStart,
        Duration drainTimeout,
        Duration keepAliveInterval,
        Duration keepAliveTimeout,
        Duration resumeTimeout,
        Duration rejoinTimeout,
        long resumeBytes,
        Duration repathProbation,
        Duration startTimeout,
        int maxPeers,
        int maxChannels,
        int mailboxItems,
        SecuritySpec security,
        int maxHandshakes,
        int maxHandshakeRate,
        boolean gatewayAccept,
        DirectoryKind directory,
        ZooKeeperSpec zooKeeper,
        List<PeerAddress> advertised,
        Map<String, ServiceSettings> services) {

    private static final Logger LOG = LoggerFactory.getLogger(NodeSpec.class);

    /**
     * Copies what can change, and checks everything.
     *
     * @throws Misconfigured naming the property, its value and what is allowed
     */
    public NodeSpec {
        listen = List.copyOf(listen);
        transportOptions = NodeSpecRules.copyOf(transportOptions);
        peers = Map.copyOf(peers);
        ports = Map.copyOf(ports);
        services = Map.copyOf(services);
        NodeSettings.NAME.check(name);
        NodeSettings.LISTEN.check(listen);
        NodeSettings.LOOPS.check(loops);
        NodeSpecRules.paths(KnownPaths.load(), paths, transportOptions, peers, ports);
        NodeSpecRules.tls(tls, listen);
        NodeSettings.WINDOW_ITEMS.check(windowItems);
        NodeSettings.WINDOW_BYTES.check(windowBytes);
        NodeSpecRules.range("weir.window.initial", initialItems, 0, windowItems);
        NodeSettings.MESSAGE_MAX.check(maxMessage);
        NodeSpecRules.range("weir.node.bytes", nodeBytes, maxMessage, 1L << 40);
        NodeSettings.MEMORY_MAX.check(memoryMax);
        NodeSettings.CONNECT_TIMEOUT.check(connectTimeout);
        NodeSettings.HANDSHAKE_TIMEOUT.check(handshakeTimeout);
        NodeSettings.STEP_TIMEOUT.check(stepTimeout);
        NodeSettings.HEAD_START.check(headStart);
        NodeSettings.DRAIN_TIMEOUT.check(drainTimeout);
        NodeSpecRules.keepAlive(keepAliveInterval, keepAliveTimeout);
        NodeSettings.RESUME_TIMEOUT.check(resumeTimeout);
        NodeSettings.REJOIN_TIMEOUT.check(rejoinTimeout);
        NodeSettings.RESUME_BYTES.check(resumeBytes);
        NodeSettings.REPATH_PROBATION.check(repathProbation);
        NodeSettings.START_TIMEOUT.check(startTimeout);
        NodeSpecRules.patience(peers);
        NodeSpecRules.gateways(peers);
        NodeSpecRules.tls(peers);
        NodeSettings.MAX_PEERS.check(maxPeers);
        NodeSettings.MAX_CHANNELS.check(maxChannels);
        NodeSettings.MAILBOX_ITEMS.check(mailboxItems);
        NodeSettings.MAX_HANDSHAKES.check(maxHandshakes);
        NodeSettings.MAX_HANDSHAKE_RATE.check(maxHandshakeRate);
        advertised = List.copyOf(advertised);
        NodeSettings.ADVERTISE.check(advertised);
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

        private String name = NodeDefaults.name();
        private List<PeerAddress> listen = NodeDefaults.LISTEN;
        private Path runtimeFolder = RuntimeFolder.standard();
        private boolean nativeAllowed = NodeDefaults.NATIVE_ALLOWED;
        private int loops = NodeDefaults.LOOPS;
        private Waiting waiting = NodeDefaults.WAITING;
        private PathPolicy paths = PathPolicy.standard();
        private final Map<String, Map<String, String>> transportOptions = new TreeMap<>();
        private final Map<String, PeerAddress> peerAddresses = new TreeMap<>();
        private final Map<String, PathPolicy> peerPaths = new TreeMap<>();
        private final Map<String, PeerSpec.Connect> peerConnects = new TreeMap<>();
        private final Map<String, Duration> peerPatience = new TreeMap<>();
        private final Map<String, PortSpec> ports = new TreeMap<>();
        private TlsSpec tls = NodeDefaults.TLS;
        private long windowItems = NodeDefaults.WINDOW_ITEMS;
        private long windowBytes = NodeDefaults.WINDOW_BYTES;
        private @Nullable Long initialItems;
        private int maxMessage = NodeDefaults.MAX_MESSAGE;
        private long nodeBytes = NodeDefaults.NODE_BYTES;
        private long memoryMax = NodeDefaults.MEMORY_MAX;
        private Duration connectTimeout = NodeDefaults.CONNECT_TIMEOUT;
        private Duration handshakeTimeout = NodeDefaults.HANDSHAKE_TIMEOUT;
        private Duration stepTimeout = NodeDefaults.STEP_TIMEOUT;
        private Duration headStart = NodeDefaults.HEAD_START;
        private Duration drainTimeout = NodeDefaults.DRAIN_TIMEOUT;
        private Duration keepAliveInterval = NodeDefaults.KEEP_ALIVE_INTERVAL;
        private Duration keepAliveTimeout = NodeDefaults.KEEP_ALIVE_TIMEOUT;
        private Duration resumeTimeout = NodeDefaults.RESUME_TIMEOUT;
        private Duration rejoinTimeout = NodeDefaults.REJOIN_TIMEOUT;
        private long resumeBytes = NodeDefaults.RESUME_BYTES;
        private Duration repathProbation = NodeDefaults.REPATH_PROBATION;
        private Duration startTimeout = NodeDefaults.START_TIMEOUT;
        private int maxPeers = NodeDefaults.MAX_PEERS;
        private int maxChannels = NodeDefaults.MAX_CHANNELS;
        private int mailboxItems = NodeDefaults.MAILBOX_ITEMS;
        private @Nullable Secret secret;
        private @Nullable Secret formerSecret;
        private @Nullable Requirement require;
        private int maxHandshakes = NodeDefaults.MAX_HANDSHAKES;
        private int maxHandshakeRate = NodeDefaults.MAX_HANDSHAKE_RATE;
        private boolean gatewayAccept = NodeDefaults.GATEWAY_ACCEPT;
        private final Map<String, List<PeerAddress>> peerGateways = new TreeMap<>();
        private final Map<String, TlsSpec> peerTls = new TreeMap<>();
        private List<PeerAddress> advertised = List.of();
        private final Map<String, ServiceSettings> services = new TreeMap<>();
        private DirectoryKind directory = NodeDefaults.DIRECTORY;
        private ZooKeeperSpec zooKeeper = NodeDefaults.ZOOKEEPER;

        private Builder() {}

        private Builder(NodeSpec spec) {
            name = spec.name;
            listen = spec.listen;
            runtimeFolder = spec.runtimeFolder;
            nativeAllowed = spec.nativeAllowed;
            loops = spec.loops;
            waiting = spec.waiting;
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
            tls = spec.tls;
            windowItems = spec.windowItems;
            windowBytes = spec.windowBytes;
            initialItems = spec.initialItems == initialBy(windowItems) ? null : spec.initialItems;
            maxMessage = spec.maxMessage;
            nodeBytes = spec.nodeBytes;
            memoryMax = spec.memoryMax;
            connectTimeout = spec.connectTimeout;
            handshakeTimeout = spec.handshakeTimeout;
            stepTimeout = spec.stepTimeout;
            headStart = spec.headStart;
            drainTimeout = spec.drainTimeout;
            keepAliveInterval = spec.keepAliveInterval;
            keepAliveTimeout = spec.keepAliveTimeout;
            resumeTimeout = spec.resumeTimeout;
            rejoinTimeout = spec.rejoinTimeout;
            resumeBytes = spec.resumeBytes;
            repathProbation = spec.repathProbation;
            startTimeout = spec.startTimeout;
            maxPeers = spec.maxPeers;
            maxChannels = spec.maxChannels;
            mailboxItems = spec.mailboxItems;
            secret = spec.security.secret();
            formerSecret = spec.security.formerSecret();
            require = spec.security.require();
            maxHandshakes = spec.maxHandshakes;
            maxHandshakeRate = spec.maxHandshakeRate;
            gatewayAccept = spec.gatewayAccept;
            advertised = spec.advertised;
            services.putAll(spec.services);
            directory = spec.directory;
            zooKeeper = spec.zooKeeper;
        }

        /** See {@link NodeSpec#name()}. */
        public Builder name(String name) {
            this.name = name;
            return this;
        }

        /** See {@link NodeSpec#listen()}; replaces what was there. */
        public Builder listen(List<PeerAddress> listen) {
            this.listen = List.copyOf(listen);
            return this;
        }

        /** As {@link #listen(List)}, each address in a form that {@link PeerAddress#parse} reads. */
        public Builder listen(String... addresses) {
            return listen(Arrays.stream(addresses).map(PeerAddress::parse).toList());
        }

        /** See {@link NodeSpec#runtimeFolder()}. */
        public Builder runtimeFolder(Path runtimeFolder) {
            this.runtimeFolder = runtimeFolder;
            return this;
        }

        /** See {@link NodeSpec#nativeAllowed()}. */
        public Builder nativeAllowed(boolean nativeAllowed) {
            this.nativeAllowed = nativeAllowed;
            return this;
        }

        /** See {@link NodeSpec#loops()}. */
        public Builder loops(int loops) {
            this.loops = loops;
            return this;
        }

        /** See {@link NodeSpec#waiting()}. */
        public Builder waiting(Waiting waiting) {
            this.waiting = waiting;
            return this;
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

        /** See {@link NodeSpec#windowItems()}. */
        public Builder windowItems(long windowItems) {
            this.windowItems = windowItems;
            return this;
        }

        /** See {@link NodeSpec#windowBytes()}. */
        public Builder windowBytes(long windowBytes) {
            this.windowBytes = windowBytes;
            return this;
        }

        /** See {@link NodeSpec#initialItems()}; if never said, at most the window. */
        public Builder initialItems(long initialItems) {
            this.initialItems = initialItems;
            return this;
        }

        /** See {@link NodeSpec#maxMessage()}. */
        public Builder maxMessage(int maxMessage) {
            this.maxMessage = maxMessage;
            return this;
        }

        /** See {@link NodeSpec#memoryMax()}. */
        public Builder memoryMax(long memoryMax) {
            this.memoryMax = memoryMax;
            return this;
        }

        /** See {@link NodeSpec#nodeBytes()}. */
        public Builder nodeBytes(long nodeBytes) {
            this.nodeBytes = nodeBytes;
            return this;
        }

        /** See {@link NodeSpec#connectTimeout()}. */
        public Builder connectTimeout(Duration connectTimeout) {
            this.connectTimeout = connectTimeout;
            return this;
        }

        /** See {@link NodeSpec#handshakeTimeout()}. */
        public Builder handshakeTimeout(Duration handshakeTimeout) {
            this.handshakeTimeout = handshakeTimeout;
            return this;
        }

        /** See {@link NodeSpec#stepTimeout()}. */
        public Builder stepTimeout(Duration stepTimeout) {
            this.stepTimeout = stepTimeout;
            return this;
        }

        /** See {@link NodeSpec#headStart()}. */
        public Builder headStart(Duration headStart) {
            this.headStart = headStart;
            return this;
        }

        /** See {@link NodeSpec#drainTimeout()}. */
        public Builder drainTimeout(Duration drainTimeout) {
            this.drainTimeout = drainTimeout;
            return this;
        }

        /** See {@link NodeSpec#keepAliveInterval()}. */
        public Builder keepAliveInterval(Duration keepAliveInterval) {
            this.keepAliveInterval = keepAliveInterval;
            return this;
        }

        /** See {@link NodeSpec#keepAliveTimeout()}. */
        public Builder keepAliveTimeout(Duration keepAliveTimeout) {
            this.keepAliveTimeout = keepAliveTimeout;
            return this;
        }

        /** See {@link NodeSpec#rejoinTimeout()}. */
        public Builder rejoinTimeout(Duration rejoinTimeout) {
            this.rejoinTimeout = rejoinTimeout;
            return this;
        }

        /** See {@link NodeSpec#resumeBytes()}. */
        public Builder resumeBytes(long resumeBytes) {
            this.resumeBytes = resumeBytes;
            return this;
        }

        /** See {@link NodeSpec#resumeTimeout()}. */
        public Builder resumeTimeout(Duration resumeTimeout) {
            this.resumeTimeout = resumeTimeout;
            return this;
        }

        /** See {@link NodeSpec#repathProbation()}. */
        public Builder repathProbation(Duration repathProbation) {
            this.repathProbation = repathProbation;
            return this;
        }

        /** See {@link NodeSpec#startTimeout()}. */
        public Builder startTimeout(Duration startTimeout) {
            this.startTimeout = startTimeout;
            return this;
        }

        /** See {@link NodeSpec#maxPeers()}. */
        public Builder maxPeers(int maxPeers) {
            this.maxPeers = maxPeers;
            return this;
        }

        /** See {@link NodeSpec#maxChannels()}. */
        public Builder maxChannels(int maxChannels) {
            this.maxChannels = maxChannels;
            return this;
        }

        /** See {@link NodeSpec#mailboxItems()}. */
        public Builder mailboxItems(int mailboxItems) {
            this.mailboxItems = mailboxItems;
            return this;
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

        /** See {@link NodeSpec#maxHandshakes()}. */
        public Builder maxHandshakes(int maxHandshakes) {
            this.maxHandshakes = maxHandshakes;
            return this;
        }

        /** See {@link NodeSpec#maxHandshakeRate()}. */
        public Builder maxHandshakeRate(int maxHandshakeRate) {
            this.maxHandshakeRate = maxHandshakeRate;
            return this;
        }

        /** See {@link NodeSpec#gatewayAccept()}. */
        public Builder gatewayAccept(boolean gatewayAccept) {
            this.gatewayAccept = gatewayAccept;
            return this;
        }

        /**
         * See {@link NodeSpec#advertised()}; each in a form that {@link PeerAddress#parse} reads. Replaces those from
         * before.
         */
        public Builder advertise(String... addresses) {
            return advertise(Arrays.stream(addresses).map(PeerAddress::parse).toList());
        }

        Builder advertise(List<PeerAddress> addresses) {
            advertised = addresses;
            return this;
        }

        /** One service; replaces what was said of it. */
        public Builder service(String service, ServiceSettings settings) {
            services.put(service, settings);
            return this;
        }

        /** See {@link NodeSpec#directory()}. */
        public Builder directory(DirectoryKind directory) {
            this.directory = directory;
            return this;
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
                    name,
                    listen,
                    runtimeFolder,
                    nativeAllowed,
                    loops,
                    waiting,
                    paths,
                    transportOptions,
                    peers(),
                    ports,
                    tls,
                    windowItems,
                    windowBytes,
                    initialItems == null ? initialBy(windowItems) : initialItems,
                    maxMessage,
                    nodeBytes,
                    memoryMax,
                    connectTimeout,
                    handshakeTimeout,
                    stepTimeout,
                    headStart,
                    drainTimeout,
                    keepAliveInterval,
                    keepAliveTimeout,
                    resumeTimeout,
                    rejoinTimeout,
                    resumeBytes,
                    repathProbation,
                    startTimeout,
                    maxPeers,
                    maxChannels,
                    mailboxItems,
                    new SecuritySpec(secret, formerSecret, require),
                    maxHandshakes,
                    maxHandshakeRate,
                    gatewayAccept,
                    directory,
                    zooKeeper,
                    advertised,
                    services);
        }

        private static long initialBy(long windowItems) {
            return Math.min(NodeDefaults.INITIAL_ITEMS, windowItems);
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
