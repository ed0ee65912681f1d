package io.weir.service;

import io.weir.channel.Node;
import io.weir.channel.Password;
import io.weir.channel.PathDecision;
import io.weir.channel.PathPolicy;
import io.weir.channel.PathSwitch;
import io.weir.channel.Peer;
import io.weir.core.AuthenticationFailed;
import io.weir.core.PathRequired;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.WeirException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The way to one instance: its addresses in their order, then a detour if there is one; over a path that it offers and we may use; and
 * through its password. Any thread.
 */
final class Approach {

    private final Node node;
    private final ServiceInstance instance;
    private final PathPolicy policy;
    /** Empty: whatever there is. */
    private final List<String> paths;

    private final @Nullable Knock knock;
    private final Detour detour;

    Approach(Node node, ServiceInstance instance, ServiceOptions options, Detour detour) {
        this.node = node;
        this.instance = instance;
        this.detour = detour;
        PathPolicy ours = node.spec().paths().and(options.paths());
        boolean narrow = !instance.paths().isEmpty() || !options.paths().equals(PathPolicy.unchanged());
        this.paths = narrow ? usable(ours) : List.of();
        this.policy = narrow
                ? new PathPolicy(
                        order(ours), options.paths().switches(), options.paths().repath())
                : options.paths();
        Password password = options.password();
        this.knock = password == null
                ? null
                : new Knock(node.id(), instance.service(), password, node.spec().handshakeTimeout());
    }

    private List<String> usable(PathPolicy ours) {
        return ours.paths().stream()
                .filter(path -> ours.of(path) != PathSwitch.OFF)
                .filter(path -> instance.paths().isEmpty() || instance.paths().contains(path))
                .toList();
    }

    private List<String> order(PathPolicy ours) {
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
                        + node.spec().paths() + ')'));
            }
            if (instance.password() && knock == null) {
                return Mono.error(new AuthenticationFailed(
                        "it wants a password: set weir.services." + instance.service() + ".password-file"));
            }
            return connected().flatMap(this::onItsWay).flatMap(this::admitted);
        });
    }

    private Mono<Peer> connected() {
        List<Throwable> reasons = new ArrayList<>();
        return Flux.fromIterable(instance.addresses())
                .concatMap(
                        address -> at(address).onErrorResume(reason -> {
                            reasons.add(reason);
                            return Mono.empty();
                        }),
                        0)
                .next()
                .switchIfEmpty(Mono.defer(() -> around(reasons)))
                .switchIfEmpty(Mono.error(() -> unreachable(reasons)));
    }

    private Mono<Peer> at(PeerAddress address) {
        return node.connect(address, policy).flatMap(peer -> checked(peer, address.toString()));
    }

    /** Another node may have got the address meanwhile. */
    private Mono<Peer> checked(Peer peer, String where) {
        return isSame(instance.node(), peer.id())
                ? Mono.just(peer)
                : Mono.error(new PeerUnavailable(where + " is " + peer.id() + " now"));
    }

    /** A node that was announced without an incarnation is an address only. */
    private static boolean isSame(PeerId announced, PeerId found) {
        return announced.incarnation() == 0
                || (announced.incarnation() == found.incarnation()
                        && announced.id().equals(found.id()));
    }

    private Mono<Peer> around(List<Throwable> reasons) {
        return detour.to(instance, policy)
                .flatMap(peer -> checked(peer, "the end of the detour"))
                .onErrorResume(reason -> {
                    reasons.add(reason);
                    return Mono.empty();
                });
    }

    private Throwable unreachable(List<Throwable> reasons) {
        if (reasons.size() == 1) {
            return reasons.get(0);
        }
        return new PeerUnavailable(
                reasons.isEmpty()
                        ? "it is announced without an address"
                        : String.join("; ", reasons.stream().map(Roster::text).toList()),
                reasons.isEmpty() ? null : reasons.get(reasons.size() - 1));
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
