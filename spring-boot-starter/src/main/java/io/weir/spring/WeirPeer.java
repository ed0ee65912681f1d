package io.weir.spring;

import io.weir.channel.Peer;
import io.weir.channel.PeerState;
import io.weir.core.Misconfigured;
import io.weir.service.ServiceClient;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * A peer as the properties {@code weir.peers.<name>.…} describe it, and what is called there. Where it has an address,
 * calls go there; otherwise to the instances that the directory knows. Connections are made when they are needed, and
 * anew when they are lost: a peer, a client or a proxy can be kept for the life of the application. Any
 * thread.
 */
public interface WeirPeer {

    /** Its name in the properties. */
    String name();

    /**
     * What calls this port, which for instances in the directory is the name of the service: requests, streams,
     * channels. Always the same client for the same port; it belongs to the application, which closes it.
     *
     * @throws Misconfigured if this is no name of a service
     */
    ServiceClient port(String port);

    /**
     * A proxy that calls this interface, as the service that {@code weir.peers.<name>.service} names, else as that of
     * the interface's name.
     */
    <T> T client(Class<T> type);

    /**
     * A proxy that calls this interface, with the deadline and the tries of this peer's settings.
     *
     * @throws Misconfigured if the interface can't be called remotely, naming the method
     */
    <T> T client(Class<T> type, String service);

    /**
     * The connection to it, as {@link io.weir.channel.Node#peer} has it. Fails with {@link Misconfigured} if it has no
     * address: then there may be several.
     */
    Mono<Peer> connection();

    /** How it stands with the connection; empty if it has no address. */
    Optional<PeerState> state();
}
