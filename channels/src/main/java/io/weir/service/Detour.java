package io.weir.service;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.PathPolicy;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import io.weir.service.gateway.AddressRules;
import io.weir.service.gateway.Gateway;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Another way to an instance, none of whose addresses can be reached: through the gateways that the directory knows.
 * Any thread.
 */
final class Detour {

    /** More tries than this take longer than anybody waits. */
    private static final int MOST = 4;

    private final Node node;
    private final ServiceDirectory directory;

    Detour(Node node, ServiceDirectory directory) {
        this.node = node;
        this.directory = directory;
    }

    /** One try: that instance at that address through that gateway. */
    private record Try(PeerAddress gateway, PeerAddress target) {}

    /**
     * Connects to this instance through one gateway that may connect to it, one after the other, at most {@value #MOST}
     * tries. Empty if there is no such gateway; fails with {@link PeerUnavailable}, telling why each could not.
     *
     * @param paths put over those of the node
     */
    Mono<Peer> to(ServiceInstance target, PathPolicy paths) {
        return directory
                .instances(Gateway.SERVICE)
                .next()
                .defaultIfEmpty(List.of())
                .flatMap(gateways -> firstOf(target, tries(gateways, target), paths));
    }

    private Mono<Peer> firstOf(ServiceInstance target, List<Try> tries, PathPolicy paths) {
        if (tries.isEmpty()) {
            return Mono.empty();
        }
        StringJoiner failures = new StringJoiner("; ");
        return Flux.fromIterable(tries)
                .concatMap(
                        each -> through(each, paths).onErrorResume(error -> {
                            failures.add(each.gateway() + ": " + error.getMessage());
                            return Mono.empty();
                        }),
                        0)
                .next()
                .switchIfEmpty(Mono.error(() -> new PeerUnavailable(target.node() + ", which serves " + target.service()
                        + ", is not reached through gateways: " + failures)));
    }

    private Mono<Peer> through(Try each, PathPolicy paths) {
        return node.connect(each.gateway()).flatMap(gateway -> node.connect(each.target(), gateway, paths));
    }

    private List<Try> tries(List<ServiceInstance> gateways, ServiceInstance target) {
        // The first address of each gateway goes before the second one of any: one with many addresses must not hide
        // the others.
        List<Try> tries = new ArrayList<>();
        for (int place = 0; place < MOST; place++) {
            for (ServiceInstance gateway : gateways) {
                boolean other =
                        !gateway.node().equals(node.id()) && !gateway.node().equals(target.node());
                if (other && place < gateway.addresses().size()) {
                    PeerAddress here = gateway.addresses().get(place);
                    reached(gateway, target).ifPresent(there -> tries.add(new Try(here, there)));
                }
            }
        }
        return tries.subList(0, Math.min(MOST, tries.size()));
    }

    private static Optional<PeerAddress> reached(ServiceInstance gateway, ServiceInstance target) {
        String networks = gateway.attributes().getOrDefault(Gateway.NETWORKS, "");
        try {
            AddressRules rules = AddressRules.parse(List.of(networks.split(",")));
            return target.addresses().stream().filter(rules::mayAllow).findFirst();
        } catch (Misconfigured e) {
            // Whoever announces a gateway may write anything.
            return Optional.empty();
        }
    }
}
