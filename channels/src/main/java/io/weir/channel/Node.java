package io.weir.channel;

import io.netty.util.ReferenceCountUtil;
import io.weir.config.NodeDefaults;
import io.weir.config.NodeSpec;
import io.weir.config.NodeSpecRules;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.config.PeerSpec;
import io.weir.config.Requirement;
import io.weir.config.Transports;
import io.weir.core.Availability;
import io.weir.core.Bootstrap;
import io.weir.core.Codec;
import io.weir.core.Insistence;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.RareLog;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.core.TimedOut;
import io.weir.core.TlsSpec;
import io.weir.core.Transport;
import io.weir.core.WeirException;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryStats;
import io.weir.path.Devices;
import io.weir.path.Dialled;
import io.weir.path.Errors;
import io.weir.path.LocalPaths;
import io.weir.path.Logs;
import io.weir.path.NodeKey;
import io.weir.path.PathSelector;
import io.weir.path.Promise;
import io.weir.peer.Arrival;
import io.weir.peer.PathDecision;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * This process on the network. A node listens, connects to peers over the fastest path that both have, serves ports and
 * opens channels to ports of peers.
 *
 * <pre>{@code
 * Node node = Node.start(NodeSpec.fromSystem()).block();
 * node.serve("upper", channel -> channel.send(channel.receive(text()).map(String::toUpperCase), text()));
 * Peer peer = node.connect("tcp://127.0.0.1:7000").block();
 * }</pre>
 *
 * <p>Any thread may use a node. Handlers run on the loop of the peer that they serve and must not block it.
 */
public final class Node {

    private static final Logger LOG = Logs.NODE;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Instant since = Instant.now();
    private final NodeSpec spec;
    private final PeerId id;
    private final PeerCard card;
    private final Bootstrap bootstrap;
    private final LocalPaths localPaths;
    private final List<Loop> loops;
    private final Ports ports;
    private final MemoryAccount memory;
    private final Peers peers = new Peers(this);
    private final NamedPeers named;
    /** By the names of peers: what operators have put over their order. */
    private final ConcurrentMap<String, PathPolicy> reordered = new ConcurrentHashMap<>();

    private final Doorkeeper doorkeeper;
    private final Tunnels tunnels;
    private final Entrance entrance;
    private final Arrivals arrivals = new Arrivals();
    private final RareLog refusals = new RareLog(LOG, System::nanoTime);
    private final List<Bootstrap.Listener> listeners = new CopyOnWriteArrayList<>();
    private final ConcurrentMap<String, Mailbox> mailboxes = new ConcurrentHashMap<>();
    private final AtomicInteger nextLoop = new AtomicInteger();
    /** On which loops who connects anew is awaited. */
    private final Queue<Loop> nextAccepting = new ArrayBlockingQueue<>(64);

    private final AtomicBoolean opened = new AtomicBoolean();
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean leaving;
    private volatile @Nullable Throwable failure;
    /** Nobody is to be informed that it closes. */
    private volatile boolean killed;

    /** Fails when the node closes. */
    private final Sinks.Empty<Peer> noMoreConnecting = Sinks.empty();
    /** Runs once, with the first subscription; a waiting caller that loses interest does not stop it. */
    private final Mono<Void> closed = Mono.defer(this::shutDown).cache();
    /** Completes with {@link #closed}. */
    private final Sinks.Empty<Void> ended = Sinks.empty();

    private Node(NodeSpec spec, NodeKey key, Bootstrap bootstrap, Map<String, Transport> adapters, PeerCard card) {
        this.spec = spec;
        this.id = card.id();
        this.card = card;
        this.bootstrap = bootstrap;
        this.ports = new Ports(spec);
        this.memory = new MemoryAccount(
                DirectMemory.bound(spec.memory().max()), spec.memory().nodeBytes());
        this.doorkeeper =
                new Doorkeeper(spec.limits().handshakes(), spec.limits().handshakeRate(), System::nanoTime);
        this.entrance = new Entrance(spec.limits().handshakes(), this::admit, this::turnAway);
        this.tunnels = new Tunnels(spec, this::accepted);
        Devices devices = new Devices(spec, peers::deviceChanged);
        this.localPaths =
                new LocalPaths(spec, key, card, adapters, bootstrap, devices, ports.sessionLog(), closing::get);
        this.loops = new ArrayList<>();
        for (int i = 0; i < spec.loops(); i++) {
            Loop loop = bootstrap.newLoop("weir-" + spec.name() + '-' + i, spec.waiting(), spec.settings("tcp"));
            loops.add(loop);
            loop.died().subscribe(new LoopDeath(loop)::of);
        }
        this.named = new NamedPeers(spec.peers(), loops.get(0), this::connectByName);
    }

    /**
     * Starts a node: looks which paths are ready, makes the loops, listens. Completes when peers can connect, and the
     * peers that are {@link PeerSpec.Connect#REQUIRED required} are connected. Fails with {@link Misconfigured}, naming
     * the setting, or with {@link io.weir.core.PeerUnavailable} if a required peer was not there within
     * {@code weir.timeout.start}, and leaves nothing running then. Loads native libraries on a thread that may block.
     */
    public static Mono<Node> start(NodeSpec spec) {
        return begun(spec, true);
    }

    /**
     * Starts a node that lets nobody in before it is {@link #open() opened}, so that everything can be served before
     * the first peer comes: it listens, and who comes meanwhile waits. It can connect to peers, but does not do so by
     * itself. Otherwise as {@link #start}.
     */
    public static Mono<Node> prepare(NodeSpec spec) {
        return begun(spec, false);
    }

    /**
     * Loads what a node of this configuration needs, classes and native libraries, so that the first one starts sooner:
     * makes one that neither listens nor connects, and closes it, on a thread that may block. Completes when that is
     * done, also if it can't be: errors of the configuration come from {@link #start}.
     */
    public static Mono<Void> preload(NodeSpec spec) {
        return Mono.defer(() -> make(spec).close())
                .subscribeOn(Schedulers.boundedElastic())
                .onErrorResume(error -> {
                    LOG.debug("Nothing is loaded ahead of the first node", error);
                    return Mono.empty();
                });
    }

    private static Mono<Node> begun(NodeSpec spec, boolean open) {
        return Promise.mono(
                outcome -> Schedulers.boundedElastic().schedule(() -> begin(spec, open, outcome)),
                unwanted -> unwanted.close().subscribe());
    }

    /** Not interrupted when the subscriber cancels: the node closes then as soon as it listens. */
    private static void begin(NodeSpec spec, boolean open, Promise<Node> outcome) {
        try {
            Node node = make(spec);
            if (!spec.tls().enabled() && (spec.tls().hasIdentity() || spec.tls().hasTrust())) {
                LOG.warn("Certificates are configured, but connections are not encrypted: weir.tls is off");
            }
            node.listen()
                    .then(Mono.defer(() -> open ? node.open(outcome) : Mono.just(node)))
                    .onErrorResume(error -> node.close().then(Mono.error(error)))
                    .subscribe(outcome::success, outcome::error);
        } catch (Throwable t) {
            Exceptions.throwIfJvmFatal(t);
            outcome.error(t);
        }
    }

    /** Who loses interest meanwhile need not wait for the peers. */
    private Mono<Node> open(Promise<Node> outcome) {
        outcome.onCancel(() -> close().subscribe());
        return open().thenReturn(this);
    }

    /**
     * Lets peers in, and connects to those that are not {@link PeerSpec.Connect#LAZY lazy}. Completes when the
     * {@link PeerSpec.Connect#REQUIRED required} ones are connected; fails, as {@link #start} does, if one of them is
     * not there in time. Then, and if it is cancelled before, the node is closed. Once only: nothing happens, and
     * nothing is waited for, if this was subscribed to before.
     */
    public Mono<Void> open() {
        return Mono.defer(() -> {
            checkOpen();
            return opened.compareAndSet(false, true) ? begin() : Mono.empty();
        });
    }

    private Mono<Void> begin() {
        entrance.open();
        return named.begin(spec.timeouts().start())
                .onErrorResume(error -> close().then(Mono.error(error)))
                .doOnCancel(() -> close().subscribe());
    }

    private static Node make(NodeSpec spec) {
        NodeSpecRules.exposure(spec);
        Bootstrap bootstrap = ServiceLoader.load(Bootstrap.class, Node.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new Misconfigured(
                        "there is no bootstrap on the class path: add io.weir:weir-transports-native"));
        Map<String, Transport> adapters = Transports.find();
        Map<String, String> ready = new TreeMap<>();
        Map<String, String> missing = new TreeMap<>();
        adapters.forEach((path, adapter) -> {
            if (spec.paths().of(path) != PathSwitch.OFF) {
                Availability availability = spec.availability(adapter);
                if (availability instanceof Availability.Ready && !LocalPaths.isPrivateEnough(adapter, spec)) {
                    missing.put(path, LocalPaths.NOT_PRIVATE);
                } else if (availability instanceof Availability.Ready it) {
                    ready.put(path, it.card());
                } else if (availability instanceof Availability.Missing it) {
                    missing.put(path, it.reason());
                }
            }
        });
        // So that an error comes now, and not when the peer is connected to.
        Transport tcp = adapters.get(PathSelector.BOOTSTRAP_PATH);
        spec.peers().forEach((name, peer) -> {
            TlsSpec tls = peer.tls();
            if (tcp != null && tls != null) {
                NodeSpecRules.ofPeer(name, () -> {
                    var unused = tcp.availability(LocalPaths.settings(spec, tcp.name(), tls));
                });
            }
        });
        NodeKey key = NodeKey.generate();
        PeerId id = new PeerId(key.id(), spec.name(), System.currentTimeMillis());
        return new Node(spec, key, bootstrap, adapters, Host.card(id, ready, missing));
    }

    private Mono<Node> listen() {
        return Flux.fromIterable(spec.listen())
                .concatMap(this::bind)
                .doOnNext(listeners::add)
                .then(Mono.fromCallable(() -> {
                    if (spec.gatewayAccept()) {
                        var unused = ports.serve(TunnelRequest.TUNNEL_PORT, tunnels);
                    }
                    localPaths.watchDevices();
                    LOG.info("{} listens at {}", id, addresses());
                    return this;
                }));
    }

    private Mono<Bootstrap.Listener> bind(PeerAddress address) {
        return bootstrap.bind(
                address,
                spec.settings("tcp"),
                this::acceptingLoop,
                link -> accepted(link, address),
                arrivals::addWithoutTls);
    }

    /**
     * Listens at a further address, as if {@code weir.listen} had named it. Completes when peers can connect there.
     * Fails with {@link Misconfigured}, naming the address, if it can't be bound, or if others than this host's could
     * reach it and nothing keeps strangers out; with {@link Refused} if the node closes meanwhile. A subscriber that
     * cancels has nothing to dispose.
     */
    public Mono<Listening> listen(PeerAddress address) {
        return Promise.mono(
                outcome -> {
                    checkOpen();
                    NodeSpecRules.exposure(
                            spec.toBuilder().listen(List.of(address)).build());
                    var unused = bind(address).subscribe(bound -> listens(bound, outcome), outcome::error);
                },
                Disposable::dispose);
    }

    private void listens(Bootstrap.Listener bound, Promise<Listening> outcome) {
        listeners.add(bound);
        Further further = new Further(bound, listeners);
        if (closing.get()) {
            // The node may have looked at its listeners before.
            further.dispose();
            outcome.error(new Refused(leaving()));
        } else {
            LOG.info("{} listens at {} as well", id, bound.address());
            outcome.success(further);
        }
    }

    /** The node's own identity. */
    public PeerId id() {
        return id;
    }

    /** When it has begun. */
    public Instant since() {
        return since;
    }

    /** The configuration that it was started with. */
    public NodeSpec spec() {
        return spec;
    }

    /**
     * Where it listens, with the ports really bound: those of the configuration first, then those of {@link #listen}.
     */
    public List<PeerAddress> addresses() {
        return listeners.stream().map(Bootstrap.Listener::address).toList();
    }

    /**
     * Where others reach it, for directories and the like: what {@code weir.advertise} says, else where it listens,
     * with the name of its host in place of every address of it ({@code 0.0.0.0}).
     */
    public List<PeerAddress> advertised() {
        return spec.advertised().isEmpty()
                ? addresses().stream()
                        .map(each -> each.isAnyHost() ? new PeerAddress(NodeDefaults.name(), each.port()) : each)
                        .distinct()
                        .toList()
                : spec.advertised();
    }

    /** Whether what somebody has dialled, who says so over this connection, is an address of this node. */
    boolean isOurs(Dialled dialled, Link link) {
        return dialled.leadsTo(link.ends(), addresses(), spec.advertised(), card.bootId());
    }

    /** The first address that it listens at. */
    public PeerAddress address() {
        return addresses().get(0);
    }

    /**
     * Connects to the node at this address, or yields the peer if there is a connection to it already. Fails with
     * {@link io.weir.core.PeerUnavailable}, {@link io.weir.core.TimedOut}, {@link io.weir.core.Refused},
     * {@link io.weir.core.PathRequired}, {@link io.weir.core.AuthenticationFailed}, {@link io.weir.core.Overloaded} or
     * {@link io.weir.core.ProtocolMismatch}.
     */
    public Mono<Peer> connect(PeerAddress address) {
        return connect(address, spec.paths());
    }

    /** As {@link #connect(PeerAddress)}, with an address in one of the forms that {@link PeerAddress#parse} reads. */
    public Mono<Peer> connect(String address) {
        return Mono.defer(() -> connect(PeerAddress.parse(address)));
    }

    /**
     * Connects with paths of its own, put over the node's. Also fails with {@link Misconfigured} where these make no
     * sense.
     */
    public Mono<Peer> connect(PeerAddress address, PathPolicy paths) {
        return connect(address, paths, spec.tls());
    }

    private Mono<Peer> connect(PeerAddress address, PathPolicy paths, TlsSpec tls) {
        PathPolicy policy = spec.paths().and(paths);
        return Mono.defer(() -> {
            checkOpen();
            localPaths.checkPolicy(paths, policy);
            Loop loop = loop();
            Requirement required = spec.security().requirementAt(address);
            Mono<Peer> connected = localPaths
                    .dial(address, loop, tls)
                    .flatMap(link -> shake(loop, link, policy, address, tls, required));
            // Whatever step it has reached, it must not wait for a loop that has ended.
            return Mono.firstWithSignal(connected, noMoreConnecting.asMono());
        });
    }

    /** As {@link #connect(PeerAddress, Peer, PathPolicy)}, with the node's own paths. */
    public Mono<Peer> connect(PeerAddress target, Peer gateway) {
        return connect(target, gateway, spec.paths());
    }

    /**
     * Connects to a node that only a gateway reaches, or yields the peer if there is a connection to it already. What
     * both sides prove, they prove to each other, from end to end; the gateway can read what it passes on, unless a
     * path joins both directly, which is tried as usual. The connection ends with that to the gateway, with
     * {@link io.weir.core.SessionLost}.
     *
     * <p>Fails as {@link #connect(PeerAddress)} does, also with what the gateway has failed with, which names it.
     *
     * @param target where the gateway finds it
     * @param gateway a peer of this node that is one
     * @param paths put over the node's own
     * @throws IllegalArgumentException if the gateway is the peer of another node
     */
    public Mono<Peer> connect(PeerAddress target, Peer gateway, PathPolicy paths) {
        return connect(target, List.of(), gateway, paths);
    }

    /**
     * As above, through several gateways in a row.
     *
     * @param gateways where they are, first the one that is connected to from here
     */
    public Mono<Peer> connect(PeerAddress target, List<PeerAddress> gateways, PathPolicy paths) {
        if (gateways.isEmpty()) {
            return connect(target, paths);
        }
        List<PeerAddress> further = List.copyOf(gateways.subList(1, gateways.size()));
        return connect(gateways.get(0)).flatMap(first -> connect(target, further, first, paths));
    }

    private Mono<Peer> connect(PeerAddress target, List<PeerAddress> via, Peer gateway, PathPolicy paths) {
        PathPolicy policy = spec.paths().and(paths);
        Loop loop = gateway.session().loop();
        if (!loops.contains(loop)) {
            throw new IllegalArgumentException(gateway.id() + " is the peer of another node than " + id);
        }
        return Mono.defer(() -> {
            checkOpen();
            localPaths.checkPolicy(paths, policy);
            Mono<Peer> connected = tunnels.open(target, via, gateway)
                    .flatMap(link -> shake(loop, link, policy, target, spec.tls(), Tunnels.requirement(spec)));
            return Mono.firstWithSignal(connected, noMoreConnecting.asMono());
        });
    }

    /**
     * The peer that is configured under this name, {@code weir.peers.<name>.address}: the connection that there is
     * under this name, or else a new one, for which all wait who ask meanwhile. If it can't be reached now, it is tried
     * again for as long as {@code weir.peers.<name>.wait} says, then this fails with
     * {@link io.weir.core.PeerUnavailable}, which says how often it was tried and what failed last; without such a
     * setting it fails with what the first try fails with. What no repetition helps,
     * {@link io.weir.core.ProtocolMismatch}, {@link io.weir.core.PathRequired} or {@link Misconfigured}, comes at
     * once. Cancelling ends the tries if nobody else waits and the peer is {@link PeerSpec.Connect#LAZY lazy}. Signals
     * come on a loop of this node, or on the caller's thread.
     *
     * <p>The host's name is looked up for each try; how long the JVM remembers it is its own setting
     * ({@code networkaddress.cache.ttl}).
     */
    public Mono<Peer> peer(String name) {
        return Mono.defer(() -> {
            checkOpen();
            return named.get(name);
        });
    }

    /** By name, how it stands with each peer that the configuration names, in the order of the names. */
    public Map<String, PeerState> peerStates() {
        return named.states();
    }

    /** The connection to the peer that is configured under this name, if there is one: it is only looked at. */
    public Optional<Peer> connected(String name) {
        return named.connected(name);
    }

    /**
     * Changes the order of the paths to the peer that is configured under this name, as long as the node lives: as
     * {@link Peer#reorder} if there is a connection under this name, and for those that follow. Empty if there is none
     * now. If it fails nothing has changed.
     */
    public Mono<PathDecision> reorder(String name, PathPolicy order) {
        return Mono.defer(() -> {
            checkOpen();
            Optional<Peer> live = named.connected(name);
            localPaths.checkOrder(order, pathsTo(name).and(order));
            return live.map(peer -> peer.reorder(order))
                    .orElseGet(Mono::empty)
                    .doOnSuccess(done -> reordered.merge(name, order, PathPolicy::and));
        });
    }

    private Mono<Peer> connectByName(String name, PeerSpec peer) {
        TlsSpec tls = peer.tls();
        return Mono.defer(() -> tls == null
                ? connect(peer.address(), peer.gateways(), pathsTo(name))
                : connect(peer.address(), pathsTo(name), tls));
    }

    private PathPolicy pathsTo(String name) {
        return spec.pathsToPeer(name).and(reordered.getOrDefault(name, PathPolicy.unchanged()));
    }

    private Mono<Peer> shake(
            Loop loop, Link link, PathPolicy policy, PeerAddress address, TlsSpec tls, Requirement required) {
        return Promise.mono(
                outcome -> {
                    Handshake handshake = new Handshake(
                            this, loop, link, policy, address, tls, required, new ConnectedOutcome(outcome));
                    Runnable begin = () -> {
                        if (closing.get()) {
                            // Waiting callers get it from noMoreConnecting.
                            link.close();
                        } else {
                            handshake.start();
                        }
                    };
                    loop.runInLoop(begin);
                    outcome.onCancel(() -> giveUp(handshake, address));
                },
                stillConnected -> {});
    }

    private static void giveUp(Handshake handshake, PeerAddress address) {
        try {
            handshake.loop().execute(() -> handshake.fail(new TimedOut("connecting to " + address + " was cancelled")));
        } catch (RejectedExecutionException e) {
            LOG.debug("Connecting to {} was cancelled when its loop had ended, and the connection with it", address);
        }
    }

    private void accepted(Link link, PeerAddress at) {
        accepted(link, spec.security().requirementAt(at));
    }

    private void accepted(TunnelLink link) {
        accepted(link, Tunnels.requirement(spec));
    }

    private void accepted(Link link, Requirement required) {
        if (killed) {
            Refusal.withoutAWord(link);
        } else {
            entrance.came(link, required, currentLoop());
        }
    }

    private void admit(Link link, Requirement required) {
        if (killed) {
            Refusal.withoutAWord(link);
            return;
        }
        if (closing.get() || leaving) {
            Refusal.of(link, leaving());
            arrivals.add(link, null, null, Arrival.Outcome.REFUSED, leaving());
            return;
        }
        Handshake handshake = new Handshake(
                this, currentLoop(), link, spec.paths(), null, spec.tls(), required, new AcceptedOutcome(refusals));
        if (doorkeeper.came(handshake)) {
            handshake.start();
        } else {
            refusals.warn("A connection is refused: " + doorkeeper.noRoom().getMessage());
            turnAway(link, doorkeeper.noRoom());
        }
    }

    private void turnAway(Link link, WeirException reason) {
        Refusal.of(link, reason);
        arrivals.add(link, null, null, Arrivals.outcome(reason), Errors.text(reason));
    }

    private Loop currentLoop() {
        for (Loop loop : loops) {
            if (loop.inLoop()) {
                return loop;
            }
        }
        throw new IllegalStateException("a connection was accepted on a thread that is no loop of this node");
    }

    private void checkOpen() {
        if (closing.get()) {
            throw new IllegalStateException(id + " is closed");
        }
    }

    /**
     * Serves a port: each channel that a peer opens is given to the handler, and is ended when the handler's publisher
     * completes. An error of the handler goes to the peer; a {@link Refused} or {@link io.weir.core.PathRequired} that
     * the function itself throws refuses the channel, as if it had never been open. Lasts until disposed; open channels
     * go on then.
     *
     * @throws Misconfigured if the port is served already
     */
    public Disposable serve(String port, Function<? super Channel, ? extends Publisher<Void>> handler) {
        return served(port, new ServeHandler(ports, handler));
    }

    Disposable served(String port, PortHandler handler) {
        checkOpen();
        return ports.serve(port, handler);
    }

    /**
     * The channels that peers open to a port, each accepted when the subscriber asks for it. Those that come before
     * wait, up to a bound. The port is served while this is subscribed to.
     */
    public Flux<Channel> accept(String port) {
        return Flux.defer(() -> {
            checkOpen();
            return AcceptHandler.flux(ports, port);
        });
    }

    /**
     * Answers the requests that come to a port: the handler gets each message, which it must release, and yields the
     * answer. A request that fails fails at the asker, as {@link io.weir.core.RemoteFailure}, or as {@link Refused} if
     * it fails with that or with {@link io.weir.core.PathRequired}. Messages for which no answer is expected come here
     * as well. Lasts until disposed: what was begun is still answered then, further requests fail with
     * {@link io.weir.core.Refused}.
     */
    public Disposable answer(String port, Function<? super Message, ? extends Publisher<Message>> handler) {
        return answer(port, (peer, request) -> handler.apply(request));
    }

    /** As {@link #answer(String, Function)}, and the handler also gets the peer whose request it is. */
    public Disposable answer(
            String port, BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler) {
        return served(port, new AnswerHandler(ports, handler));
    }

    /**
     * As {@link #answer(String, Function)}, but values through codecs, so that nothing has to be released. Requests
     * that can't be decoded fail at the asker.
     */
    public <A, B> Disposable answer(
            String port,
            Codec<A> requests,
            Codec<B> answers,
            Function<? super A, ? extends Publisher<? extends B>> handler) {
        return answer(port, new ValueHandler<>(requests, answers, handler));
    }

    /**
     * Answers each request to a port with a stream: the handler gets the request, which it must release. Lasts until
     * disposed.
     */
    public Disposable stream(String port, Function<? super Message, ? extends Publisher<Message>> handler) {
        return stream(port, peer -> {}, (channel, request) -> handler.apply(request));
    }

    private Disposable stream(
            String port, Consumer<Peer> gate, BiFunction<Channel, Message, ? extends Publisher<Message>> handler) {
        return served(
                port,
                new ServeHandler(
                        ports,
                        channel -> {
                            gate.accept(channel.peer());
                            return channel.receive().next().flatMap(request -> answered(channel, request, handler));
                        },
                        false));
    }

    /** The handler gets the request when the peer can get its answer, perhaps never: then nobody else has it. */
    private Mono<Void> answered(
            Channel channel, Message request, BiFunction<Channel, Message, ? extends Publisher<Message>> handler) {
        AtomicReference<@Nullable Message> unread = new AtomicReference<>(request);
        return channel.send(Flux.defer(() -> {
                    Message its = unread.getAndSet(null);
                    return its == null ? Flux.empty() : streamed(channel, its, handler);
                }))
                .doFinally(signal -> ReferenceCountUtil.release(unread.getAndSet(null)));
    }

    private Publisher<Message> streamed(
            Channel channel, Message request, BiFunction<Channel, Message, ? extends Publisher<Message>> handler) {
        CallInterceptor interceptor = ports.interceptor();
        IncomingCall watched = interceptor == null
                ? null
                : interceptor.called(
                        new CallDescription(CallKind.STREAM, channel.peer(), channel.port(), null), request.control());
        return watched == null
                ? handler.apply(channel, request)
                : Watching.over(
                        Flux.from(Watching.opened(watched, () -> handler.apply(channel, request))), watched, false);
    }

    /** As {@link #stream(String, Function)}, but values through codecs, so that nothing has to be released. */
    public <A, B> Disposable stream(
            String port,
            Codec<A> requests,
            Codec<B> items,
            Function<? super A, ? extends Publisher<? extends B>> handler) {
        return stream(port, peer -> {}, requests, items, handler);
    }

    /** @param gate throws to refuse a peer */
    <A, B> Disposable stream(
            String port,
            Consumer<Peer> gate,
            Codec<A> requests,
            Codec<B> items,
            Function<? super A, ? extends Publisher<? extends B>> handler) {
        return stream(
                port,
                gate,
                (channel, request) -> Encoding.messages(
                        Decoding.<A, B>many(channel.session().longValues(), request, requests, handler),
                        items,
                        channel::allocator));
    }

    /**
     * The mailbox of a port: everything that any peer sends there, and what selects from it. The port is served from
     * now until the mailbox is disposed; a further call for the same port yields the same mailbox.
     *
     * @throws Misconfigured if the port is served by something else
     */
    public Mailbox mailbox(String port) {
        checkOpen();
        return mailboxes.compute(
                port,
                (name, former) -> former != null && !former.isDisposed()
                        ? former
                        : new Mailbox(name, spec.mailboxItems(), loops.get(0)).open(ports));
    }

    /**
     * Asks this of each peer that opens a channel to a port, sends requests or messages there, from now on; replaces
     * what was asked before. A peer that is not permitted fails with {@link io.weir.core.Refused}, and learns neither
     * why nor whether the port is served. What is open already goes on. Both this and {@code weir.ports.<port>.allow}
     * have to permit it. To be said before ports are served.
     */
    public void authorise(Authorisation authorisation) {
        ports.authorise(authorisation);
    }

    /**
     * Shows the calls that this node makes and answers to this as well, from now on: what was told of before is told
     * first. To be said before ports are served, proxies are made and peers are called.
     */
    public void intercept(CallInterceptor interceptor) {
        ports.intercept(interceptor);
    }

    /**
     * All that was given to {@link #intercept}, as one that keeps what these throw to itself and reports to each call
     * its end once; null if there is none. For what makes {@link Calls} of its own.
     */
    public @Nullable CallInterceptor interceptor() {
        return ports.interceptor();
    }

    /** Whom this node is connected to. */
    public List<Peer> connected() {
        return peers.sessions().stream().map(Session::peer).toList();
    }

    /** For each connected peer: which path, and why. */
    public List<PathDecision> paths() {
        return connected().stream().map(Peer::path).toList();
    }

    /**
     * How often a loop of this node was kept from its work for 10 ms or more: by a subscriber or handler that belongs
     * behind {@code publishOn}, or because the machine gave it no processor. When it was 100 ms or more again and
     * again, a warning in the log names the loop.
     */
    public long stalls() {
        return loops.stream().mapToLong(Loop::stalls).sum();
    }

    /** How often the loops of this node have slept until something woke them: what came, a task or a timer. */
    public long wakeUps() {
        return loops.stream().mapToLong(Loop::wakeUps).sum();
    }

    /** Bytes that this node lends now to messages longer than their window; at most {@code weir.node.bytes}. */
    public long lentBytes() {
        return memory.lent();
    }

    /**
     * What becomes of each connection that others make to this node: who has connected from where, what was proved, and
     * why a connection was refused. Begins with the subscription and never completes. Signals come on loops, so a
     * subscriber must not block. A subscriber that has no demand misses a signal, so that no connection waits for it.
     * Connections that this node makes itself are not shown.
     */
    public Flux<Arrival> arrivals() {
        return arrivals.flux();
    }

    /** How many connections that others have made to this node had this outcome so far. Any thread may ask. */
    public long arrivals(Arrival.Outcome outcome) {
        return arrivals.of(outcome);
    }

    /** Where handshakes record their outcome. */
    Arrivals arrivalLog() {
        return arrivals;
    }

    /** What this node keeps on behalf of its peers, and what it has promised them. Any thread may ask. */
    public MemoryStats memory() {
        return memory.stats();
    }

    /** What has gone between this node and each peer. */
    public List<PeerStats> stats() {
        return peers.sessions().stream().map(Session::stats).toList();
    }

    /** The same with who they are. */
    List<PeerTotals.Counted> counted() {
        return peers.sessions().stream()
                .map(each -> new PeerTotals.Counted(each.stats(), each.memory().identity()))
                .toList();
    }

    /**
     * Prepares to leave, so that nobody's call fails: stops listening, informs every peer, and completes when nothing
     * is under way any more between them and this node, or when the limit is over. A caller with a choice calls
     * somebody else from then on, and what peers begin here fails with {@link io.weir.core.PeerUnavailable} or
     * {@link io.weir.core.Overloaded}, nothing of it begun; requests and streams that have begun go on, and this node
     * may call others. Connections stay until {@link #close}, which belongs behind this.
     */
    public Mono<Void> leave(Duration limit) {
        return Mono.defer(() -> {
            leaving = true;
            LOG.info("{} is going to leave", id);
            listeners.forEach(Disposable::dispose);
            return each(session -> session.leaving().inform())
                    .then(Mono.<Void>fromRunnable(ports::leave))
                    .then(each(session -> session.quiet(limit)))
                    .timeout(limit, Mono.<Void>fromRunnable(ports::leave));
        });
    }

    private Mono<Void> each(Function<Session, Mono<Void>> step) {
        return Flux.defer(() -> Flux.fromIterable(peers.sessions()))
                .flatMap(step, Integer.MAX_VALUE)
                .then();
    }

    /**
     * Leaves: stops listening, says goodbye to every peer when what was handed over has been sent (at most
     * {@code weir.timeout.drain}), then ends the loops. Completes when all threads have ended; later calls await the
     * same.
     */
    public Mono<Void> close() {
        return closed;
    }

    /**
     * Ends the node as the end of its process would: it says goodbye to nobody, and what it had not sent is lost. For
     * tests of those that go on. Completes when all threads have ended. A node that is closing already goes on with
     * that.
     */
    public Mono<Void> kill() {
        return Mono.defer(() -> {
            if (!closing.get()) {
                killed = true;
            }
            return closed;
        });
    }

    /** Completes when the node has been closed, by this program or by a failure. Does not close it. */
    public Mono<Void> closed() {
        return ended.asMono();
    }

    private Mono<Void> shutDown() {
        closing.set(true);
        if (!killed) {
            return endAll();
        }
        listeners.forEach(Disposable::dispose);
        // Before anything else learns that it ends, as that would inform the peers.
        return forsaken().then(Mono.defer(this::endAll));
    }

    private Mono<Void> endAll() {
        named.close(new Refused(leaving()));
        noMoreConnecting.tryEmitError(new Refused(leaving())).orThrow();
        listeners.forEach(Disposable::dispose);
        entrance.open();
        localPaths.devices().close();
        ports.close();
        peers.close();
        for (Handshake each : peers.handshakes()) {
            each.loop().execute(() -> each.fail(new Refused(leaving())));
        }
        return (killed ? forsaken() : left())
                .thenMany(Flux.defer(() -> Flux.fromIterable(peers.undelivered())))
                .flatMap(session -> session.abandonUndelivered(leaving()))
                .thenMany(Flux.fromIterable(loops))
                .flatMap(Loop::close)
                .then()
                .doOnTerminate(ended::tryEmitEmpty);
    }

    private Flux<Void> forsaken() {
        return Flux.fromIterable(peers.sessions()).flatMap(session -> session.forsaken(leaving()));
    }

    /** First those that go through others. */
    private Flux<Void> left() {
        return left(session -> session.link().isTunnel()).thenMany(left(session -> true));
    }

    private Flux<Void> left(Predicate<Session> which) {
        Duration limit = spec.timeouts().drain();
        return Flux.defer(() -> Flux.fromIterable(peers.sessions()))
                .filter(which)
                .flatMap(
                        session -> session.drained(limit).then(session.leaving().leave(leaving())));
    }

    /**
     * The end of this node, as one of its loops has died: a node is whole, or it is not there. Half of one would accept
     * connections and answer none. Made beforehand, as there may be no memory then.
     */
    private final class LoopDeath {

        private final Loop loop;
        private final Runnable failing = this::failSessions;
        private final Runnable leaving = this::leaveThread;
        private final Runnable ending = this::end;
        private final Runnable closing = this::closeNode;
        private @Nullable Throwable cause;

        LoopDeath(Loop loop) {
            this.loop = loop;
        }

        void of(Throwable its) {
            cause = its;
            failure = its;
            Insistence.run(failing);
            Insistence.run(leaving);
        }

        private void failSessions() {
            Node.this.failSessions(loop, Objects.requireNonNull(cause));
        }

        /** The rest is for a thread that lives. */
        private void leaveThread() {
            Schedulers.boundedElastic().schedule(ending);
        }

        private void end() {
            Insistence.run(closing);
            LOG.error("{} ends, as its loop {} has died", id, loop.name(), cause);
        }

        private void closeNode() {
            close().subscribe(nothing -> {}, error -> LOG.error("{} could not be closed", id, error));
        }
    }

    private void failSessions(Loop loop, Throwable cause) {
        // Its text may be what can't be had.
        String of = cause.getClass().getSimpleName();
        SessionLost reason = new SessionLost("the loop " + loop.name() + " of " + id + " has died of " + of, cause);
        for (Session each : peers.sessions()) {
            if (each.loop() == loop) {
                each.execute(() -> each.lost(reason));
            }
        }
        for (Handshake each : peers.handshakes()) {
            if (each.loop() == loop) {
                each.fail(reason);
            }
        }
    }

    /**
     * What has ended this node without {@link #close}: an error that has killed one of its loops. Empty as long as all
     * is well, and for a node that was closed. When it is there, the node closes by itself: every session has failed or
     * is about to, and {@link #closed} completes when that is done. Only a new node helps, or rather a new process.
     */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    boolean isLeaving() {
        return leaving;
    }

    /** Whether it ends without a word to anybody. */
    boolean isKilled() {
        return killed;
    }

    private String leaving() {
        return id + " is closing";
    }

    /** The next connection that comes belongs to this loop, if nobody else comes in between. */
    void acceptNextOn(Loop loop) {
        // If it is full, many come, and one of them will.
        var unused = nextAccepting.offer(loop);
    }

    private Loop acceptingLoop() {
        Loop wanted = nextAccepting.poll();
        // Several who connect anew must not take each other's loops by turns for ever.
        return wanted == null || RANDOM.nextInt(4) == 0 ? loop() : wanted;
    }

    private Loop loop() {
        return loops.get(Math.floorMod(nextLoop.getAndIncrement(), loops.size()));
    }

    PeerCard card() {
        return card;
    }

    Ports ports() {
        return ports;
    }

    Doorkeeper doorkeeper() {
        return doorkeeper;
    }

    MemoryAccount memoryAccount() {
        return memory;
    }

    LocalPaths localPaths() {
        return localPaths;
    }

    Peers peers() {
        return peers;
    }

    @Override
    public String toString() {
        return "Node[" + id + " at " + addresses() + ']';
    }

    /** A listener beyond those of the configuration. */
    private record Further(Bootstrap.Listener bound, List<Bootstrap.Listener> all) implements Listening {

        @Override
        public PeerAddress address() {
            return bound.address();
        }

        @Override
        public void dispose() {
            all.remove(bound);
            bound.dispose();
        }

        @Override
        public boolean isDisposed() {
            return bound.isDisposed();
        }
    }

    /** Somebody waits, or has lost interest. */
    private record ConnectedOutcome(Promise<Peer> waiting) implements Handshake.Outcome {
        @Override
        public void connected(Peer peer) {
            waiting.success(peer);
        }

        @Override
        public void failed(WeirException reason) {
            waiting.error(reason);
        }
    }

    /**
     * The accepting side has nobody who waits: what went wrong is logged.
     *
     * @param refusals what strangers can bring about as often as they like
     */
    private record AcceptedOutcome(RareLog refusals) implements Handshake.Outcome {

        @Override
        public void connected(Peer peer) {
            LOG.debug("{} has connected to us", peer);
        }

        @Override
        public void failed(WeirException reason) {
            refusals.warn("An incoming connection came to nothing: " + reason.getMessage());
        }
    }
}
