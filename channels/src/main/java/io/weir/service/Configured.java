package io.weir.service;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerState;
import io.weir.config.PathPolicy;
import io.weir.core.Misconfigured;
import io.weir.service.directory.ServiceInstance;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The one instance of a service that a peer is which the configuration names. Any thread. */
final class Configured implements Whereabouts {

    private final Node node;
    private final String peer;
    private final ServiceInstance only;

    /** @throws Misconfigured if the configuration names no such peer */
    Configured(Node node, String peer, String service) {
        if (!node.spec().peers().containsKey(peer)) {
            throw new Misconfigured("there is no peer '" + peer + "': set weir.peers." + peer + ".address; known: "
                    + node.peerStates().keySet());
        }
        this.node = node;
        this.peer = peer;
        this.only = ServiceInstance.at(service, state().address());
    }

    private PeerState state() {
        return Objects.requireNonNull(node.peerStates().get(peer));
    }

    @Override
    public Flux<List<ServiceInstance>> instances() {
        return Flux.just(List.of(only));
    }

    @Override
    public String absence() {
        return "peer " + peer + " was not looked for yet";
    }

    @Override
    public String text(ServiceInstance instance) {
        return "peer " + peer;
    }

    @Override
    public PathPolicy paths() {
        return node.spec().pathsToPeer(peer);
    }

    /** Made as the configuration says: who wants other paths moves it. */
    @Override
    public Mono<Peer> connect(ServiceInstance instance, PathPolicy paths) {
        return node.peer(peer);
    }

    /** A try lasts as long as {@code weir.peers.<peer>.wait} says, and is many then. */
    @Override
    public String trouble() {
        return state().lastFailure().orElse(Announced.NO_END);
    }
}
