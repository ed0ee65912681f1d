package io.weir.service;

import io.netty.buffer.ByteBufAllocator;
import io.weir.channel.Calls;
import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.Password;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.config.PortSpec;
import io.weir.core.Codec;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import io.weir.service.remote.Callees;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.ProxyOptions;
import io.weir.service.remote.RemoteInterfaces;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The services of a node, those that it serves and those that it calls. One for each node.
 *
 * <pre>{@code
 * Services services = Services.of(node, directory);
 * services.answer(ServiceSpec.of("greeting"), TEXT, TEXT, name -> Mono.just("Hello, " + name + "!"));
 * Mono<String> greeting = services.service("greeting").ask("Ada", TEXT, TEXT);
 * }</pre>
 *
 * <p><b>Serving.</b> What {@link #serve}, {@link #answer} and {@link #stream} yield serves the port of the service and
 * then announces it, when it is subscribed to; it completes when others can see the announcement, and fails if the port
 * is served already, or with what the directory fails with, and leaves nothing served then.
 * {@link Registration#withdraw} takes the announcement back first, then, half a second later, the port; what was begun
 * is finished. A node that leaves does that before it closes: see {@link #close}.
 *
 * <p><b>Passwords</b> are proved by both sides, once for each connection, and never cross the wire; see
 * docs/services.md.
 *
 * <p><b>Threads.</b> Any thread may use this. Handlers run on the loop of the peer that they serve and must not block
 * it.
 */
public final class Services {

    private final Node node;
    private final ServiceDirectory directory;
    private final Porter porter;
    private final ConcurrentMap<String, ServiceClient> clients = new ConcurrentHashMap<>();
    private final Set<ServiceClient> others = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<String, Serving> served = new ConcurrentHashMap<>();
    private final Detour detour;
    private volatile boolean closed;

    /** Whether it was opened for these services, and is closed with them. */
    private final boolean ownsDirectory;

    private final RemoteInterfaces interfaces;

    private Services(Node node, ServiceDirectory directory, boolean ownsDirectory) {
        this.node = node;
        this.directory = directory;
        this.ownsDirectory = ownsDirectory;
        this.interfaces = new RemoteInterfaces(node);
        this.porter = new Porter(node);
        this.detour = new Detour(node, directory);
    }

    /**
     * The services of this node, found and announced by this directory, which stays the caller's. They end with the
     * node. Serves the port {@code weir.service} from now on, at which passwords are proved:
     * {@code weir.ports.weir.service.allow} and {@link Node#authorise} have to let those in who shall use passwords.
     *
     * @throws Misconfigured if the node has its services already
     */
    public static Services of(Node node, ServiceDirectory directory) {
        return of(node, directory, false);
    }

    /**
     * The services of this node, found and announced by the directory that its configuration names
     * ({@code weir.directory}), which is closed with them. Fails as {@link ServiceDirectory#open} and {@link #of} do.
     */
    public static Mono<Services> open(Node node) {
        return ServiceDirectory.open(node)
                .flatMap(directory -> Mono.fromCallable(() -> of(node, directory, true))
                        .onErrorResume(error -> directory.close().then(Mono.error(error))));
    }

    private static Services of(Node node, ServiceDirectory directory, boolean ownsDirectory) {
        Services services = new Services(node, directory, ownsDirectory);
        var unused = node.closed().subscribe(nothing -> {}, error -> {}, services::closeClients);
        return services;
    }

    /**
     * Lets others call the methods of this interface on this object, as a service of the interface's name; see
     * {@link #export(ServiceSpec, Class, Object, ExportOptions)}.
     */
    public <T> Mono<Registration> export(Class<T> type, T object) {
        return Mono.defer(() -> export(ServiceSpec.of(type.getName()), type, object, ExportOptions.standard()));
    }

    /**
     * Lets others call the methods of this interface on this object. Methods that yield a publisher or a
     * {@code CompletionStage} run on the loop of the peer that calls and must not block it; the others run on threads
     * of their own. Serves the port of the service, and that with the suffix {@code .streams}. What was begun goes on
     * when it is withdrawn. Also fails with {@link Misconfigured} if the interface can't be called remotely, naming the
     * method.
     */
    public <T> Mono<Registration> export(ServiceSpec spec, Class<T> type, T object, ExportOptions options) {
        return announce(spec, gate -> interfaces.export(spec.port(), type, object, options, gate::check));
    }

    /** A proxy for the service of this interface's name; see {@link #client(String, Class, ProxyOptions)}. */
    public <T> T client(Class<T> type) {
        return client(type.getName(), type, ProxyOptions.standard());
    }

    /**
     * A proxy that calls this interface on the instances of a service, each call on one of them, as
     * {@link #service(String)} chooses. Methods that return a {@code Mono} or {@code Flux} begin a call with each
     * subscription, others when they are called. Those that wait for their value must not be called on a thread that
     * must not block, and throw {@link IllegalStateException} there. Nothing is connected to before the first call, at
     * which both sides compare the interface: {@link io.weir.core.ProtocolMismatch} names each method that differs.
     *
     * @throws Misconfigured if the interface can't be called remotely, naming the method
     */
    public <T> T client(String service, Class<T> type, ProxyOptions options) {
        return interfaces.proxy(type, callees(service), options);
    }

    /** As {@link #client(String, Class, ProxyOptions)}, but whom this client calls, for as long as it is open. */
    public <T> T client(ServiceClient client, Class<T> type, ProxyOptions options) {
        return interfaces.proxy(type, client.callees(), options);
    }

    /**
     * As {@link #client(String, Class, ProxyOptions)}, but always this peer is called, without a directory, and without
     * its password.
     */
    public <T> T client(Peer peer, String service, Class<T> type, ProxyOptions options) {
        return interfaces.proxy(type, Callees.of(peer, service), options);
    }

    /** Serves channels; see {@link Node#serve}. */
    public Mono<Registration> serve(ServiceSpec spec, Function<? super Channel, ? extends Publisher<Void>> handler) {
        return announce(
                spec,
                gate -> node.serve(spec.port(), channel -> {
                    gate.check(channel.peer());
                    return handler.apply(channel);
                }));
    }

    /** Answers requests; see {@link Node#answer(String, BiFunction)}. The handler must release each message. */
    public Mono<Registration> answer(
            ServiceSpec spec, BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler) {
        return announce(
                spec,
                gate -> node.answer(spec.port(), (peer, request) -> {
                    try {
                        gate.check(peer);
                    } catch (WeirException e) {
                        request.release();
                        throw e;
                    }
                    return handler.apply(peer, request);
                }));
    }

    /** As {@link #answer(ServiceSpec, BiFunction)}, but values through codecs, so that nothing has to be released. */
    public <A, B> Mono<Registration> answer(
            ServiceSpec spec,
            Codec<A> requests,
            Codec<B> answers,
            Function<? super A, ? extends Publisher<? extends B>> handler) {
        return answer(
                spec,
                (peer, request) -> Calls.<A, B>decoded(peer, request, requests, handler)
                        .map(answer -> Message.of(answers.encode(answer, ByteBufAllocator.DEFAULT))));
    }

    /** Answers each request with a stream; see {@link Node#stream(String, Codec, Codec, Function)}. */
    public <A, B> Mono<Registration> stream(
            ServiceSpec spec,
            Codec<A> requests,
            Codec<B> items,
            Function<? super A, ? extends Publisher<? extends B>> handler) {
        return announce(spec, gate -> Calls.stream(node, spec.port(), gate::check, requests, items, handler));
    }

    /**
     * Serves and announces whatever this serves.
     *
     * @param serving serves, asking the gate about each caller; its outcome ends that
     */
    Mono<Registration> announce(ServiceSpec spec, Function<Gate, Disposable> serving) {
        return Mono.defer(() -> {
            String name = spec.name();
            List<String> paths = offered(spec);
            Password password =
                    spec.password() == null ? node.spec().service(name).password() : spec.password();
            ServiceInstance instance = new ServiceInstance(
                    name, node.id(), node.advertised(), spec.port(), password != null, paths, spec.attributes());
            Mono<Gate> gate = password == null
                    ? Mono.just(new Gate(porter, name, null, paths))
                    : porter.lock(name, password).map(lock -> new Gate(porter, name, lock, paths));
            Serving its =
                    new Serving(directory, instance, gate.map(open -> open(open, serving)), () -> served.remove(name));
            if (served.putIfAbsent(name, its) != null) {
                throw new Misconfigured("service '" + name + "' is served by this node already");
            }
            if (closed) {
                served.remove(name, its);
            }
            checkOpen();
            return its.begin();
        });
    }

    private static Disposable open(Gate gate, Function<Gate, Disposable> serving) {
        try {
            return Disposables.composite(serving.apply(gate), gate::close);
        } catch (RuntimeException e) {
            gate.close();
            throw e;
        }
    }

    /** Over which paths, by the spec or else by what the configuration says of the port; empty: all. */
    private List<String> offered(ServiceSpec spec) {
        PathPolicy ours = node.spec().paths();
        for (String path : spec.paths()) {
            if (!ours.paths().contains(path) || ours.of(path) == PathSwitch.OFF) {
                throw new Misconfigured("service '" + spec.name() + "' can't be offered over " + path
                        + ", which this node does not use: " + ours);
            }
        }
        PortSpec port = node.spec().ports().get(spec.port());
        if (!spec.paths().isEmpty() || port == null || port.paths().equals(PathPolicy.unchanged())) {
            return spec.paths();
        }
        PathPolicy both = ours.and(port.paths());
        PathSwitch least = port.paths().required() ? PathSwitch.REQUIRED : PathSwitch.ON;
        return both.paths().stream()
                .filter(path -> both.of(path) == PathSwitch.REQUIRED || both.of(path) == least)
                .toList();
    }

    /**
     * The service of this name, as the configuration says ({@code weir.services.<service>.…}): always the same client,
     * until it is closed. Nothing is connected to before the first call.
     *
     * @throws Misconfigured if this is no name of a service
     */
    public ServiceClient service(String name) {
        checkOpen();
        return clients.compute(
                name, (same, former) -> former == null || former.isClosed() ? client(name, as -> as) : former);
    }

    /** Another client of this service, with options of its own. It is the caller's, who closes it. */
    public ServiceClient service(String name, UnaryOperator<ServiceOptions> change) {
        checkOpen();
        return kept(client(name, change));
    }

    /**
     * A client of a service at a peer that the configuration names ({@code weir.peers.<peer>.address}), as if the peer
     * were its one instance: nothing is announced or looked up, and the peer serves it at the port of the same name.
     * Connected to as {@link Node#peer} does, from the first call on; everything else is as with
     * {@link #service(String, UnaryOperator)}, also what the configuration says of the service. The connection is moved
     * where the options name other paths than it goes over.
     *
     * @throws Misconfigured if the configuration names no such peer, or this is no name of a service
     */
    public ServiceClient at(String peer, String service, UnaryOperator<ServiceOptions> change) {
        checkOpen();
        return kept(client(service, new Configured(node, peer, service), change));
    }

    private ServiceClient kept(ServiceClient client) {
        others.removeIf(ServiceClient::isClosed);
        others.add(client);
        return client;
    }

    private ServiceClient client(String name, UnaryOperator<ServiceOptions> change) {
        return client(name, new Announced(node, directory, name, detour), change);
    }

    private ServiceClient client(String name, Whereabouts whereabouts, UnaryOperator<ServiceOptions> change) {
        ServiceSpec.checkName(name);
        ServiceOptions options = change.apply(ServiceOptions.of(node.spec().service(name)));
        return new ServiceClient(name, whereabouts, new Roster(node, name, whereabouts, options));
    }

    /** Whom a proxy of this service calls: the same client for all, or one that is closed with these services. */
    Callees callees(String service) {
        return service(service).callees();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the services of " + node.id() + " are closed");
        }
    }

    /** Where services are found and announced. */
    public ServiceDirectory directory() {
        return directory;
    }

    /** What this node serves now, as it is announced, by name. */
    public List<ServiceInstance> served() {
        return served.values().stream()
                .map(Registration::instance)
                .sorted(Comparator.comparing(ServiceInstance::service))
                .toList();
    }

    /**
     * Has the node leave without a failed call: takes the announcements back, then lets it
     * {@linkplain Node#leave prepare}, within the limit in all. Clients can be used until {@link #close}, as what was
     * begun may need them, here or elsewhere in the process; that and {@link Node#close} belong behind this.
     */
    public Mono<Void> leave(Duration limit) {
        return Mono.defer(() -> {
            // A node that can't reach the directory leaves nevertheless.
            Mono<Void> hidden = Flux.fromIterable(served.values())
                    .flatMap(each -> each.hide().onErrorComplete(), Integer.MAX_VALUE)
                    .then()
                    .timeout(limit, Mono.empty());
            return Mono.when(hidden, node.leave(limit));
        });
    }

    /**
     * Withdraws what is served, and closes the clients; the node and the directory stay. To be called before the node
     * is closed, so that nobody calls a port that is gone. Completes when others can see that nothing is served;
     * idempotent.
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            closeClients();
            return Flux.fromIterable(served.values())
                    .flatMapDelayError(Registration::withdraw, Integer.MAX_VALUE, 1)
                    .then()
                    .doFinally(signal -> {
                        porter.dispose();
                        interfaces.dispose();
                    })
                    .onErrorResume(error -> closeDirectory().then(Mono.error(error)))
                    .then(Mono.defer(this::closeDirectory));
        });
    }

    private Mono<Void> closeDirectory() {
        return ownsDirectory ? directory.close() : Mono.empty();
    }

    private void closeClients() {
        closed = true;
        clients.values().forEach(ServiceClient::close);
        others.forEach(ServiceClient::close);
    }
}
