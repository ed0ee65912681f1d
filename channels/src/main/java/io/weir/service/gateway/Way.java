package io.weir.service.gateway;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.peer.TunnelRoute;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A gateway's next hop: to allowed addresses only, and never in a circle. Any thread. */
final class Way {

    private final Node node;
    private final AddressRules rules;

    Way(Node node, List<String> allow) {
        this.node = node;
        this.rules = AddressRules.parse(allow);
    }

    /**
     * Who comes next.
     *
     * @param behind the way so far
     */
    Mono<Peer> to(PeerAddress address, TunnelRoute behind) {
        if (behind.gateways().contains(node.id().toString())) {
            return Mono.error(new Refused("the way goes in a circle, " + behind));
        }
        if (behind.gateways().size() >= TunnelRoute.MOST) {
            return Mono.error(
                    new Refused("there are " + TunnelRoute.MOST + " gateways on the way already, which are the most"));
        }
        return allowed(address)
                .flatMap(node::connect)
                .flatMap(peer -> peer.id().equals(node.id())
                        ? Mono.error(new Refused(address + " is the gateway itself: connect to it directly"))
                        : Mono.just(peer));
    }

    /**
     * Under its name if that is allowed, else under an address that it leads to: so nobody can change where it leads in
     * between.
     */
    private Mono<PeerAddress> allowed(PeerAddress address) {
        if (rules.allow(address)) {
            return Mono.just(address);
        }
        return rules.mayAllow(address)
                ? Mono.fromCallable(() -> found(address)).subscribeOn(Schedulers.boundedElastic())
                : Mono.error(forbidden(address));
    }

    private PeerAddress found(PeerAddress address) {
        try {
            for (InetAddress each : InetAddress.getAllByName(address.host())) {
                if (rules.allow(each, address.port())) {
                    return new PeerAddress(each.getHostAddress(), address.port());
                }
            }
        } catch (UnknownHostException e) {
            throw new PeerUnavailable("the host of " + address + " is not known here", e);
        }
        throw forbidden(address);
    }

    private static Refused forbidden(PeerAddress address) {
        return new Refused("it may not connect to " + address + ": allow it there, for instance with --allow");
    }
}
