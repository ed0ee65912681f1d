package io.weir.service.directory;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * One node that serves something. Immutable. Holds no secret: of a password it says only that there is one.
 *
 * @param service the name, by which clients ask for it
 * @param node who serves it; a stand-in if only its address is known, see {@link #at}
 * @param addresses where the node listens, best first
 * @param port the port of the node that serves it
 * @param password whether a client has to prove that it knows the password
 * @param paths the paths that it offers; empty: all
 * @param attributes more about it, for instance its zone or version
 */
public record ServiceInstance(
        String service,
        PeerId node,
        List<PeerAddress> addresses,
        String port,
        boolean password,
        List<String> paths,
        Map<String, String> attributes) {

    /**
     * One of which only the address is known, as the configuration names it: it may serve the service, on a port of the
     * same name. Its node is a stand-in that is made of the address, with the address as its name and incarnation 0;
     * who answers there is another one.
     */
    public static ServiceInstance at(String service, PeerAddress address) {
        String text = address.toString();
        PeerId standIn = new PeerId(UUID.nameUUIDFromBytes(text.getBytes(UTF_8)), text, 0);
        return new ServiceInstance(service, standIn, List.of(address), service, false, List.of(), Map.of());
    }

    /** The same, but for its attributes. */
    public ServiceInstance withAttributes(Map<String, String> other) {
        return new ServiceInstance(service, node, addresses, port, password, paths, other);
    }

    /** Whether {@link #node} is its identity, and not only an address. */
    public boolean isIdentified() {
        return node.incarnation() != 0;
    }

    /** Copies the lists and the map. */
    public ServiceInstance {
        Objects.requireNonNull(service, "service");
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(port, "port");
        addresses = List.copyOf(addresses);
        paths = List.copyOf(paths);
        attributes = Map.copyOf(attributes);
    }
}
