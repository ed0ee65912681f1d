package io.weir.spring.endpoint;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.PathPolicy;
import io.weir.core.Misconfigured;
import io.weir.peer.PathDecision;
import io.weir.spring.WeirStatus;
import io.weir.spring.WeirStatus.NamedPeer;
import io.weir.spring.endpoint.WeirReport.OnePeer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import reactor.core.publisher.Mono;

/**
 * Shows the node, its peers and why each goes over its path; and changes the order of the paths to a peer, where
 * {@code management.endpoint.weir.access} is {@code unrestricted}.
 *
 * <p>Operations wait for the answer of a loop, for a bounded time. Actuator runs them where waiting is allowed: with
 * WebFlux on threads of its own.
 */
@Endpoint(id = "weir", defaultAccess = Access.READ_ONLY)
public class WeirEndpoint {

    /** Beyond what opening each path may take. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final WeirStatus status;
    private final Reporter reporter;

    /** Of the application whose status this is. */
    public WeirEndpoint(WeirStatus status) {
        this.status = status;
        this.reporter = new Reporter(status);
    }

    /** Everything but the channels of each connection. */
    @ReadOperation
    public WeirReport all() {
        return reporter.all();
    }

    /** The peer of this name in the configuration, or the connected one with this UUID; null if there is neither. */
    @ReadOperation
    public @Nullable OnePeer one(@Selector String peer) {
        return reporter.one(peer).block(PATIENCE);
    }

    /**
     * Changes the order of the paths to a peer, and its path if that makes another one the best. Under a configured
     * name it is kept for the connections that follow, as long as the application runs.
     *
     * @param peer as of {@link #one}
     * @param order the names of the paths, best first, with commas between them
     * @return the peer behind it; null if there is none of this name
     * @throws io.weir.core.WeirException if it is refused; nothing has changed then
     */
    @WriteOperation
    public @Nullable OnePeer reorder(@Selector String peer, String order) {
        Optional<Node> node = status.node();
        Optional<NamedPeer> named = reporter.named(peer).filter(NamedPeer::hasAddress);
        Optional<Peer> connected = reporter.connected(peer);
        if (node.isEmpty() || (named.isEmpty() && connected.isEmpty())) {
            return null;
        }
        PathPolicy policy = policy(order);
        Mono<PathDecision> changed = named.isPresent()
                ? node.get().reorder(peer, policy)
                : connected.get().reorder(policy);
        return changed.then(Mono.defer(() -> reporter.one(peer))).block(PATIENCE);
    }

    private static PathPolicy policy(String order) {
        List<String> names =
                Arrays.stream(order.split(",", -1)).map(String::strip).toList();
        if (names.contains("")) {
            throw new Misconfigured("the order '" + order + "' has an empty name: write paths with commas between them,"
                    + " best first, as shm,tcp");
        }
        return new PathPolicy(names, Map.of());
    }
}
