package io.weir.path;

import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.core.Availability;
import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The path through gateways: the {@link TunnelledLink} over which it was agreed on. It is the last one, in the place of
 * {@code tcp}.
 */
public final class TunnelPath implements Transport {

    static final TunnelPath ANY = new TunnelPath("");

    private final String against;

    /** @param against why the path that this stands for is not tried; empty if it is */
    private TunnelPath(String against) {
        this.against = against;
    }

    /** As {@link PathSelector#select}, for two nodes that speak through gateways. */
    public static PathSelector.Selection select(
            TunnelledLink tunnel,
            PathPolicy mine,
            PeerCard self,
            PeerCard peer,
            Map<String, PathSwitch> peerSwitches,
            Function<String, @Nullable Transport> adapters) {
        TunnelPath notDirectly = new TunnelPath("the peer is not reached directly, but " + tunnel.route());
        return PathSelector.select(
                behindAll(mine),
                with(self),
                with(peer),
                peerSwitches,
                path -> path.equals(PathSelector.BOOTSTRAP_PATH) ? notDirectly : adapters.apply(path));
    }

    private static PathPolicy behindAll(PathPolicy policy) {
        List<String> order = new ArrayList<>(policy.measured() ? List.of(PathPolicy.MEASURED) : List.of());
        order.addAll(policy.paths());
        order.add(TunnelledLink.PATH);
        return new PathPolicy(order, policy.switches(), policy.repath());
    }

    private static PeerCard with(PeerCard card) {
        Map<String, String> ready = new TreeMap<>(card.ready());
        ready.put(TunnelledLink.PATH, "");
        return new PeerCard(
                card.id(), card.bootId(), card.uid(), card.process(), card.host(), card.pid(), ready, card.missing());
    }

    @Override
    public String name() {
        return TunnelledLink.PATH;
    }

    @Override
    public Availability availability(TransportSettings settings) {
        return new Availability.Ready();
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return against.isEmpty() ? null : against;
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        return new Kept(request.bootstrap());
    }

    /** The tunnel as it is. */
    private record Kept(Link tunnel) implements PendingLink {

        @Override
        public byte[] offer() {
            return new byte[0];
        }

        @Override
        public Mono<Link> complete(byte[] theirs) {
            return Mono.just(tunnel);
        }

        @Override
        public void close() {
            // It belongs to the agreement over it.
        }
    }
}
