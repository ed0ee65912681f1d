package io.weir.service.gateway;

import io.weir.channel.Calls;
import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.Places;
import io.weir.channel.TunnelAnswer;
import io.weir.channel.TunnelRequest;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.Overloaded;
import io.weir.core.PeerAddress;
import io.weir.core.RareLog;
import io.weir.core.Refused;
import io.weir.core.TimedOut;
import io.weir.peer.PathDecision;
import io.weir.peer.TunnelRoute;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Joins networks whose nodes can't reach each other: a node that both reach leads sessions from one to the other. A
 * client connects with {@link Node#connect(PeerAddress, Peer)}, or names the gateway in
 * {@code weir.peers.<peer>.gateway}; the target does nothing. What the two say passes as it is, piece by piece, within
 * the demand of the far side, so a gateway holds what its windows allow and no more.
 *
 * <p><b>Whom it serves.</b> Every peer of the node that may use the port {@value TunnelRequest#GATEWAY_PORT}
 * ({@code weir.ports.weir.gateway.allow}), to the addresses that its {@link GatewaySpec} allows. It stays connected to
 * targets.
 *
 * <p><b>Threads.</b> Any thread may use it.
 */
public final class Gateway {

    /** Under which gateways announce themselves in a directory. */
    public static final String SERVICE = "weir.gateway";

    /** The attribute that shows others where it may connect to, as rules with commas between them. */
    public static final String NETWORKS = "networks";

    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    /** With its header, what every path carries at once. */
    private static final int LEAST_MESSAGE = 64 << 10;

    private final Node node;
    private final GatewaySpec spec;
    private final Way way;
    private final Map<Long, Pair> pairs = new ConcurrentSkipListMap<>();
    private final AtomicLong numbers = new AtomicLong();
    /** Of those that are joined, or about to be. */
    private final Places places;

    private final RareLog refusals = new RareLog(LOG, System::nanoTime);
    private final Sinks.Many<JoinedPair> changes = Sinks.many().multicast().directBestEffort();
    private final Sinks.Empty<Void> closing = Sinks.empty();
    private final AtomicReference<@Nullable Registration> registration = new AtomicReference<>();
    private final Disposable serving;

    private Gateway(Node node, GatewaySpec spec) {
        this.node = node;
        this.spec = spec;
        this.places = new Places(spec.maxPairs());
        this.way = new Way(node, spec.allow());
        this.serving = Calls.serve(node, TunnelRequest.GATEWAY_PORT, this::serve);
    }

    /**
     * Makes a gateway of this node, from now on until it is closed.
     *
     * @throws Misconfigured if the node is one already, or its {@code weir.message.max} is less than 64 KiB
     */
    public static Gateway serve(Node node, GatewaySpec spec) {
        if (node.spec().memory().maxMessage() < LEAST_MESSAGE) {
            throw new Misconfigured("weir.message.max=" + node.spec().memory().maxMessage()
                    + " is too little for a gateway, which passes on 64 KiB at once: raise it to 64k at least");
        }
        return new Gateway(node, spec);
    }

    /**
     * As {@link #serve(Node, GatewaySpec)}, and announces it, where it may connect to included. Completes when others
     * can see it.
     */
    public static Mono<Gateway> serve(Node node, GatewaySpec spec, ServiceDirectory directory) {
        return Mono.defer(() -> {
            Gateway gateway = serve(node, spec);
            ServiceInstance instance = new ServiceInstance(
                    SERVICE,
                    node.id(),
                    node.advertised(),
                    TunnelRequest.GATEWAY_PORT,
                    false,
                    List.of(),
                    Map.of(NETWORKS, String.join(",", spec.allow())));
            return directory
                    .announce(instance)
                    .doOnNext(gateway.registration::set)
                    .thenReturn(gateway)
                    .doOnCancel(() -> gateway.close().subscribe())
                    .onErrorResume(error -> gateway.close().then(Mono.error(error)));
        });
    }

    /** Who is joined now, the longest joined first. */
    public List<JoinedPair> joined() {
        return pairs.values().stream().map(Pair::now).toList();
    }

    /**
     * Each pair when it is joined, and once more when it has ended. Who does not ask for enough misses some. Comes on
     * loops of the node; ends when the gateway is closed.
     */
    public Flux<JoinedPair> changes() {
        return changes.asFlux();
    }

    /** Takes back the announcement, ends what is joined, and leaves the node as it was. Idempotent. */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            serving.dispose();
            var unused = closing.tryEmitEmpty();
            synchronized (changes) {
                var unusedToo = changes.tryEmitComplete();
            }
            Registration announced = registration.getAndSet(null);
            return announced == null ? Mono.empty() : announced.withdraw();
        });
    }

    /**
     * A client, or the gateway before this one, has opened a channel: its first message is to us, the others are passed
     * on.
     */
    private Mono<Void> serve(Channel client) {
        Mono<Void> served = client.receive()
                .switchOnFirst((first, all) -> {
                    Message request = first.get();
                    return request == null ? all.then() : begin(client, request, all.skip(1));
                })
                .then();
        return Mono.firstWithSignal(
                served, closing.asMono().then(Mono.error(new Refused(node.id() + " is no gateway any more"))));
    }

    private Mono<Void> begin(Channel client, Message first, Flux<Message> rest) {
        TunnelRequest request;
        try {
            request = TunnelRequest.of(first);
        } finally {
            first.release();
        }
        return Mono.defer(() -> {
            if (!places.tryTake(client.peer())) {
                return refuse(
                        client,
                        new Overloaded("it carries as many sessions for this peer as it may, and " + places.taken()
                                + " of " + spec.maxPairs() + " in all; try again, or elsewhere"));
            }
            return Mono.defer(() -> next(client, request))
                    .map(leg -> join(client, leg, rest))
                    .onErrorResume(error -> Mono.just(refuse(client, error)))
                    .flatMap(joined -> joined)
                    .doFinally(signal -> places.give(client.peer()));
        });
    }

    private Mono<Void> refuse(Channel client, Throwable reason) {
        refusals.warn(client.peer().id() + " is not led on: " + reason.getMessage());
        // Who grants no credit for it does not keep its place.
        return client.send(Mono.fromSupplier(() -> TunnelAnswer.failed(node.id().toString(), reason)))
                .timeout(node.spec().timeouts().handshake());
    }

    /**
     * A channel to who comes next.
     *
     * @param greeting what is sent to it first
     */
    private record Leg(Channel channel, Supplier<Message> greeting) {}

    private Mono<Leg> next(Channel client, TunnelRequest request) {
        TunnelRoute route =
                request.route().leg(pathTo(client.peer())).gateway(node.id().toString());
        boolean last = request.via().isEmpty();
        PeerAddress address = last ? request.target() : request.via().get(0);
        return way.to(address, request.route())
                .flatMap(peer -> channel(peer, last ? TunnelRequest.TUNNEL_PORT : TunnelRequest.GATEWAY_PORT))
                .map(channel ->
                        new Leg(channel, () -> last ? TunnelRequest.greeting(route) : passedOn(request, route)));
    }

    private static Message passedOn(TunnelRequest request, TunnelRoute route) {
        List<PeerAddress> further = request.via().subList(1, request.via().size());
        return new TunnelRequest(request.target(), further, route).message();
    }

    private Mono<Channel> channel(Peer peer, String port) {
        Duration limit = node.spec().timeouts().handshake();
        return peer.channel(port)
                .timeout(
                        limit,
                        Mono.error(() -> new TimedOut(peer.id() + " did not accept a channel to port '" + port
                                + "' within " + limit.toMillis() + " ms (weir.timeout.handshake)")));
    }

    private static String pathTo(Peer peer) {
        return peer.path().chosen().map(PathDecision.Attempt::path).orElse("?");
    }

    /** Each half ends by itself, with what has ended it on the other side: so both sides learn why. */
    private Mono<Void> join(Channel client, Leg leg, Flux<Message> rest) {
        Channel target = leg.channel();
        Pair pair = new Pair(numbers.incrementAndGet(), client.peer(), target.peer());
        Mono<Void> there =
                target.send(Flux.concat(Mono.fromSupplier(leg.greeting()), rest.doOnNext(pair::goesToTarget)));
        Mono<Message> answer =
                Mono.fromSupplier(() -> TunnelAnswer.opened(node.id().toString(), pathTo(target.peer())));
        Mono<Void> back = client.send(Flux.concat(answer, target.receive().doOnNext(pair::goesToClient)));
        return Mono.whenDelayError(half(pair, there), half(pair, back))
                .doOnSubscribe(subscription -> begins(pair))
                .doFinally(signal -> ends(pair));
    }

    /**
     * If the whole is cancelled, what that does to one half may come to the other before it is cancelled as well:
     * nobody is left to be informed.
     */
    private static Mono<Void> half(Pair pair, Mono<Void> way) {
        return way.onErrorComplete(CancellationException.class).doOnError(pair::breaks);
    }

    private void begins(Pair pair) {
        pairs.put(pair.number, pair);
        tell(pair);
    }

    private void ends(Pair pair) {
        pair.breaks("closed");
        pairs.remove(pair.number);
        tell(pair);
    }

    private void tell(Pair pair) {
        JoinedPair now = pair.now();
        LOG.debug("{}", now);
        // Pairs are of several loops.
        synchronized (changes) {
            var unused = changes.tryEmitNext(now);
        }
    }

    /** Counters are written by one loop each. */
    private static final class Pair {

        final long number;
        private final Peer client;
        private final Peer target;
        private final Instant since = Instant.now();
        private final AtomicLong toTarget = new AtomicLong();
        private final AtomicLong toClient = new AtomicLong();
        private volatile String end = "";

        Pair(long number, Peer client, Peer target) {
            this.number = number;
            this.client = client;
            this.target = target;
        }

        void goesToTarget(Message message) {
            toTarget.setRelease(toTarget.getPlain() + message.size());
        }

        void goesToClient(Message message) {
            toClient.setRelease(toClient.getPlain() + message.size());
        }

        void breaks(Throwable reason) {
            breaks(String.valueOf(reason.getMessage()));
        }

        /** The first reason is the one that the others come from. */
        synchronized void breaks(String reason) {
            end = end.isEmpty() ? reason : end;
        }

        JoinedPair now() {
            return new JoinedPair(
                    number,
                    client.id(),
                    pathTo(client),
                    target.id(),
                    pathTo(target),
                    toTarget.getAcquire(),
                    toClient.getAcquire(),
                    since,
                    end);
        }
    }
}
