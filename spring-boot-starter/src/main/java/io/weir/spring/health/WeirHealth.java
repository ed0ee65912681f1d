package io.weir.spring.health;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerState;
import io.weir.spring.WeirStatus;
import io.weir.spring.WeirStatus.NamedPeer;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Whether each peer that the configuration names can be reached, or if it names none, whether the node is there. A node
 * that has failed is down, whatever is named. Nobody is connected to for it, and nothing waited for.
 */
public final class WeirHealth implements CompositeHealthContributor {

    /** The name of the entry for the node, where no peer is named. */
    public static final String NODE = "node";

    private static final double NANOS_PER_MICRO = 1e3;

    private final WeirStatus status;

    /** Of the application whose status this is. */
    public WeirHealth(WeirStatus status) {
        this.status = status;
    }

    @Override
    public Stream<Entry> stream() {
        var peers = status.peers();
        boolean failed = status.node().flatMap(Node::failure).isPresent();
        return peers.isEmpty() || failed
                ? Stream.of(new Entry(NODE, node()))
                : peers.stream().map(peer -> new Entry(peer.name(), indicator(peer)));
    }

    @Override
    public @Nullable HealthContributor getContributor(String name) {
        return stream()
                .filter(entry -> entry.name().equals(name))
                .map(Entry::contributor)
                .findFirst()
                .orElse(null);
    }

    private HealthIndicator node() {
        return () -> status.node()
                .map(WeirHealth::health)
                .orElseGet(WeirHealth::starting)
                .build();
    }

    private static Health.Builder health(Node node) {
        return node.failure()
                .map(cause -> Health.down()
                        .withDetail("node", node.id().toString())
                        .withDetail(
                                "reason",
                                "a loop of the node has died of "
                                        + cause.getClass().getSimpleName() + ": the process has to be started anew"))
                .orElseGet(() -> up(node));
    }

    private static Health.Builder up(Node node) {
        return Health.up()
                .withDetail("node", node.id().toString())
                .withDetail(
                        "addresses",
                        node.addresses().stream().map(Object::toString).toList());
    }

    private static Health.Builder starting() {
        return Health.unknown().withDetail("reason", "the node is not there yet");
    }

    private static HealthIndicator indicator(NamedPeer peer) {
        return () -> health(peer).build();
    }

    private static Health.Builder health(NamedPeer peer) {
        if (peer.connection().isPresent()) {
            return connected(peer.connection().get());
        }
        return peer.hasAddress()
                ? peer.state().map(state -> away(peer, state)).orElseGet(WeirHealth::starting)
                : lookedUp(peer);
    }

    private static Health.Builder connected(Peer peer) {
        Health.Builder health = Health.up().withDetail("node", peer.id().toString());
        peer.path().chosen().ifPresent(chosen -> {
            health.withDetail("path", chosen.path());
            if (chosen.roundTrip() != null) {
                health.withDetail("roundTripMicros", chosen.roundTrip().toNanos() / NANOS_PER_MICRO);
            }
        });
        return health.withDetail("since", peer.pathHistory().get(0).when().toString());
    }

    private static Health.Builder away(NamedPeer peer, PeerState state) {
        Health.Builder health = new Health.Builder(without(peer))
                .withDetail("connection", state.status().name().toLowerCase(Locale.ROOT))
                .withDetail("address", state.address().toString())
                .withDetail("since", state.since().toString());
        state.lastFailure()
                .ifPresent(failure -> health.withDetail("lastFailure", failure.replaceAll("[\\p{Cc}\\p{Cf}]", "?")));
        state.nextTry().ifPresent(next -> health.withDetail("nextTry", next.toString()));
        return health;
    }

    private static Health.Builder lookedUp(NamedPeer peer) {
        if (peer.service() == null) {
            return Health.unknown().withDetail("reason", "each interface is looked up in the directory by its name");
        }
        Health.Builder health = peer.instances().isEmpty()
                ? Health.unknown().withDetail("reason", "the directory has not told yet who serves it")
                : new Health.Builder(peer.instances().getAsInt() > 0 ? Status.UP : without(peer))
                        .withDetail("instances", peer.instances().getAsInt());
        return health.withDetail("service", peer.service());
    }

    private static Status without(NamedPeer peer) {
        return peer.optional() ? Status.UNKNOWN : Status.DOWN;
    }
}
