package io.weir.channel;

import io.weir.core.Loop;
import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;

/** The peers that the configuration names. Any thread. */
final class NamedPeers {

    private final Map<String, NamedPeer> byName = new TreeMap<>();

    /** @param connecting makes one try to connect to the peer of this name, or yields the connection that there is */
    NamedPeers(Map<String, PeerSpec> specs, Loop loop, BiFunction<String, PeerSpec, Mono<Peer>> connecting) {
        specs.forEach((name, spec) -> byName.put(name, new NamedPeer(name, spec, loop, connecting.apply(name, spec))));
    }

    /** Waits for it as its spec says. Fails with {@link Misconfigured} if there is no such name. */
    Mono<Peer> get(String name) {
        NamedPeer peer = byName.get(name);
        return peer == null
                ? Mono.error(new Misconfigured("there is no peer '" + name + "': set weir.peers." + name
                        + ".address; known: " + byName.keySet()))
                : peer.get();
    }

    /**
     * Connects to those that are not lazy, and stays connected. Completes when those are there that are required; fails with the first
     * one that is not within the limit, or can't be.
     */
    Mono<Void> begin(Duration limit) {
        return Mono.defer(() -> {
            byName.values().stream()
                    .filter(peer -> peer.spec().connect() == PeerSpec.Connect.EAGER)
                    .forEach(NamedPeer::keep);
            return Mono.when(byName.entrySet().stream()
                    .filter(entry -> entry.getValue().spec().connect() == PeerSpec.Connect.REQUIRED)
                    .map(entry -> required(entry.getKey(), entry.getValue(), limit))
                    .toList());
        });
    }

    private static Mono<Peer> required(String name, NamedPeer peer, Duration limit) {
        return peer.get(limit, "weir.timeout.start")
                .doOnNext(connected -> peer.keep())
                .onErrorMap(
                        WeirException.Permanent.class,
                        error -> new Misconfigured(
                                "weir.peers." + name + ".connect=required can't be met: " + error.getMessage(), error));
    }

    Map<String, PeerState> states() {
        return byName.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().state(), (one, other) -> one, TreeMap::new));
    }

    void close(WeirException reason) {
        byName.values().forEach(peer -> peer.close(reason));
    }
}
