package io.weir.channel;

import io.weir.config.PeerSpec;
import io.weir.core.Loop;
import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;

/** The peers that the configuration names. Any thread. */
final class NamedPeers {

    /** Whoever comes back is found within this. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    /**
     * So much more for each peer that is always tried: a try costs up to a millisecond of a processor, so that all
     * together stay well under one percent of one, however many are away.
     */
    private static final Duration PAUSE_PER_PEER = Duration.ofMillis(200);

    /** Beyond it nobody would wait for a peer that is back. */
    private static final long MOST_THAT_COUNT = 300;

    private final Map<String, NamedPeer> byName = new TreeMap<>();

    /** @param connecting makes one try to connect to the peer of this name, or yields the connection that there is */
    NamedPeers(Map<String, PeerSpec> specs, Loop loop, BiFunction<String, PeerSpec, Mono<Peer>> connecting) {
        Duration longest = longestPause(specs);
        specs.forEach((name, spec) ->
                byName.put(name, new NamedPeer(name, spec, longest, loop, connecting.apply(name, spec))));
    }

    private static Duration longestPause(Map<String, PeerSpec> specs) {
        long kept = specs.values().stream()
                .filter(spec -> spec.connect() != PeerSpec.Connect.LAZY)
                .count();
        Duration forAll = PAUSE_PER_PEER.multipliedBy(Math.min(kept, MOST_THAT_COUNT));
        return forAll.compareTo(LONGEST_PAUSE) < 0 ? LONGEST_PAUSE : forAll;
    }

    /** Waits for it as its spec says. Throws {@link Misconfigured} if there is no such name. */
    Mono<Peer> get(String name) {
        return named(name).get();
    }

    /**
     * The connection under this name, unless there is none or it has ended. Throws {@link Misconfigured} if there is no
     * such name.
     */
    Optional<Peer> connected(String name) {
        return Optional.ofNullable(named(name).live());
    }

    private NamedPeer named(String name) {
        NamedPeer peer = byName.get(name);
        if (peer == null) {
            throw new Misconfigured(
                    "there is no peer '" + name + "': set weir.peers." + name + ".address; known: " + byName.keySet());
        }
        return peer;
    }

    /**
     * Connects to those that are not lazy, and stays connected. Completes when those are there that are required; fails
     * with the first one that is not within the limit, or can't be.
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
