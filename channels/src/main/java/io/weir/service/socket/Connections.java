package io.weir.service.socket;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.PeerAddress;
import io.weir.core.WeirException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import reactor.core.publisher.Mono;

/**
 * Opens the channels of sockets. Remembers who answers at an address, so that a further socket costs no further
 * connection.
 */
final class Connections {

    private static final String PORT = "weir.socket.";

    private final Node node;
    private final ConcurrentMap<PeerAddress, Peer> peers = new ConcurrentHashMap<>();

    Connections(Node node) {
        this.node = node;
    }

    /** The port of a node behind a TCP port. */
    static String port(int tcpPort) {
        return PORT + tcpPort;
    }

    /** A channel to the server socket at this address. Somebody else may answer there by now. */
    Mono<Channel> open(PeerAddress address) {
        return Mono.defer(() -> {
            String port = port(address.port());
            Mono<Channel> anew = node.connect(address)
                    .doOnNext(peer -> remember(address, peer))
                    .flatMap(peer -> peer.channel(port));
            Peer known = peers.get(address);
            return known == null
                    ? anew
                    : known.channel(port).onErrorResume(WeirException.class, error -> {
                        peers.remove(address, known);
                        return anew;
                    });
        });
    }

    private void remember(PeerAddress address, Peer peer) {
        if (!peer.equals(peers.put(address, peer))) {
            var unused = peer.paths().then().subscribe(nothing -> {}, error -> {}, () -> peers.remove(address, peer));
        }
    }
}
