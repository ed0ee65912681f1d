package io.weir.service;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.PathPolicy;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The instances that a directory knows, each at its addresses in their order, then by a detour if there is one. Any
 * thread.
 */
final class Announced implements Whereabouts {

    static final String NO_END = "no try has come to an end";

    private final Node node;
    private final ServiceDirectory directory;
    private final String service;
    private final Detour detour;

    Announced(Node node, ServiceDirectory directory, String service, Detour detour) {
        this.node = node;
        this.directory = directory;
        this.service = service;
        this.detour = detour;
    }

    @Override
    public Flux<List<ServiceInstance>> instances() {
        return directory.instances(service);
    }

    @Override
    public String absence() {
        return "nobody announces service '" + service + "' (the directory sees "
                + directory.snapshot().size() + " nodes)";
    }

    @Override
    public String text(ServiceInstance instance) {
        return instance.node() + " at " + instance.addresses();
    }

    @Override
    public PathPolicy paths() {
        return node.spec().paths();
    }

    @Override
    public Mono<Peer> connect(ServiceInstance instance, PathPolicy paths) {
        return Mono.defer(() -> addresses(instance, paths));
    }

    private Mono<Peer> addresses(ServiceInstance instance, PathPolicy paths) {
        List<Throwable> reasons = new ArrayList<>();
        return Flux.fromIterable(instance.addresses())
                .concatMap(
                        address -> at(address, instance, paths).onErrorResume(reason -> {
                            reasons.add(reason);
                            return Mono.empty();
                        }),
                        0)
                .next()
                .switchIfEmpty(Mono.defer(() -> around(instance, paths, reasons)))
                .switchIfEmpty(Mono.error(() -> unreachable(reasons)));
    }

    private Mono<Peer> at(PeerAddress address, ServiceInstance instance, PathPolicy paths) {
        return node.connect(address, paths).flatMap(peer -> checked(peer, instance, address.toString()));
    }

    /** Another node may have got the address meanwhile. */
    private static Mono<Peer> checked(Peer peer, ServiceInstance instance, String where) {
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

    private Mono<Peer> around(ServiceInstance instance, PathPolicy paths, List<Throwable> reasons) {
        return detour.to(instance, paths)
                .flatMap(peer -> checked(peer, instance, "the end of the detour"))
                .onErrorResume(reason -> {
                    reasons.add(reason);
                    return Mono.empty();
                });
    }

    private static Throwable unreachable(List<Throwable> reasons) {
        if (reasons.size() == 1) {
            return reasons.get(0);
        }
        return new PeerUnavailable(
                reasons.isEmpty()
                        ? "it is announced without an address"
                        : String.join("; ", reasons.stream().map(Roster::text).toList()),
                reasons.isEmpty() ? null : reasons.get(reasons.size() - 1));
    }

    @Override
    public String trouble() {
        return NO_END;
    }
}
