package io.weir.service;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.Password;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.core.AuthenticationFailed;
import io.weir.core.PathRequired;
import io.weir.core.PeerUnavailable;
import io.weir.core.WeirException;
import io.weir.peer.PathDecision;
import io.weir.service.directory.ServiceInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The way to one instance: over a path that it offers and we may use, and through its password. Any thread. */
final class Approach {

    private final Whereabouts whereabouts;
    private final ServiceInstance instance;
    private final PathPolicy ours;
    private final PathPolicy policy;
    /** Empty: whatever there is. */
    private final List<String> paths;

    private final @Nullable Knock knock;

    Approach(Node node, Whereabouts whereabouts, ServiceInstance instance, ServiceOptions options) {
        this.whereabouts = whereabouts;
        this.instance = instance;
        this.ours = whereabouts.paths().and(options.paths());
        boolean narrow = !instance.paths().isEmpty() || !options.paths().equals(PathPolicy.unchanged());
        this.paths = narrow ? usable() : List.of();
        this.policy = narrow
                ? new PathPolicy(
                        order(), options.paths().switches(), options.paths().repath())
                : options.paths();
        Password password = options.password();
        this.knock = password == null
                ? null
                : new Knock(
                        node.id(),
                        instance.service(),
                        password,
                        node.spec().timeouts().handshake());
    }

    private List<String> usable() {
        List<String> usable = new ArrayList<>();
        for (String path : ours.paths()) {
            PathSwitch set = ours.of(path);
            if (set != PathSwitch.OFF
                    && (instance.paths().isEmpty() || instance.paths().contains(path))) {
                usable.add(path);
            }
            if (set == PathSwitch.REQUIRED) {
                break;
            }
        }
        return List.copyOf(usable);
    }

    private List<String> order() {
        List<String> order = new ArrayList<>(paths);
        if (ours.measured()) {
            order.add(0, PathPolicy.MEASURED);
        }
        return order;
    }

    /** Whether what goes this way may be used for calls. */
    boolean suits(PathDecision way) {
        return paths.isEmpty()
                || way.chosen().map(it -> paths.contains(it.path())).orElse(false);
    }

    /** Each subscription tries once. */
    Mono<Peer> peer() {
        return Mono.defer(() -> {
            if (paths.isEmpty() && !instance.paths().isEmpty()) {
                return Mono.error(new PathRequired("it is offered over " + String.join(", ", instance.paths())
                        + " only, and none of these may be used here ("
                        + ours + ')'));
            }
            if (instance.password() && knock == null) {
                return Mono.error(new AuthenticationFailed(
                        "it wants a password: set weir.services." + instance.service() + ".password-file"));
            }
            return whereabouts
                    .connect(instance, policy)
                    .flatMap(Approach::staying)
                    .flatMap(this::onItsWay)
                    .flatMap(this::admitted);
        });
    }

    /** Its connection lasts until it has done what it has begun. */
    private static Mono<Peer> staying(Peer peer) {
        return peer.isLeaving() ? Mono.error(new PeerUnavailable(peer.id() + " is going to leave")) : Mono.just(peer);
    }

    /** The connection may be an older one, over another path: then it moves. */
    private Mono<Peer> onItsWay(Peer peer) {
        if (suits(peer.path())) {
            return Mono.just(peer);
        }
        List<String> reasons = new ArrayList<>();
        return Flux.fromIterable(paths)
                .concatMap(
                        path -> peer.moveTo(path).onErrorResume(WeirException.Permanent.class, reason -> {
                            reasons.add(path + ": " + Roster.text(reason));
                            return Mono.empty();
                        }),
                        0)
                .next()
                .map(moved -> peer)
                .switchIfEmpty(Mono.error(() -> new PathRequired("it may be called over " + String.join(", ", paths)
                        + " only, and the connection to " + peer.id() + " can't be moved there: "
                        + String.join("; ", reasons))));
    }

    private Mono<Peer> admitted(Peer peer) {
        return knock == null ? Mono.just(peer) : knock.at(peer).thenReturn(peer);
    }

    /** Whether this instance is reached in another way than that one. */
    static boolean differs(ServiceInstance one, ServiceInstance other) {
        return !one.withAttributes(Map.of()).equals(other.withAttributes(Map.of()));
    }
}
