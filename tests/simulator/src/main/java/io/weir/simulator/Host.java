package io.weir.simulator;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.config.Repath;
import io.weir.config.Secret;
import io.weir.core.PeerAddress;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where a node runs, under one name and address; when it has died, another one may be started there. */
final class Host {

    private final Simulation simulation;
    private final NodeSpec spec;
    private Consumer<Incarnation> onStart = incarnation -> {};
    private int started;
    private @Nullable Incarnation incarnation;

    Host(Simulation simulation, NodeSpec spec) {
        this.simulation = simulation;
        this.spec = spec;
    }

    String name() {
        return spec.name();
    }

    PeerAddress address() {
        return spec.listen().get(0);
    }

    NodeSpec spec() {
        return spec;
    }

    boolean hasShm() {
        return spec.paths().of(ShmTransport.NAME) != PathSwitch.OFF;
    }

    boolean hasSecret() {
        return spec.security().secret() != null;
    }

    /** Whether each can prove to the other what it wants to be proved. */
    boolean shares(Host other) {
        return secrets().isEmpty() == other.secrets().isEmpty()
                && (secrets().isEmpty() || !Collections.disjoint(secrets(), other.secrets()));
    }

    private List<Secret> secrets() {
        return Stream.of(spec.security().secret(), spec.security().formerSecret())
                .filter(Objects::nonNull)
                .toList();
    }

    /** Whether and when its sessions change their path. */
    Repath repath() {
        return Objects.requireNonNull(spec.paths().repath());
    }

    /** Whether a session with this one ends when its path is lost. */
    boolean staysWith(Host other) {
        return repath() == Repath.OFF || other.repath() == Repath.OFF;
    }

    /** The latest one. */
    Incarnation incarnation() {
        return Objects.requireNonNull(incarnation);
    }

    /** What users do with each node that has started. */
    void onStart(Consumer<Incarnation> users) {
        onStart = users;
    }

    /** Starts a node, which is there at once: in a simulation, blocking threads do not block. */
    Incarnation start() {
        Incarnation begun = new Incarnation(simulation, this, ++started);
        simulation.starting(begun);
        try {
            Node.start(spec)
                    .subscribe(begun::node, error -> simulation.violated(name() + " could not be started", error));
        } finally {
            simulation.starting(null);
        }
        incarnation = begun;
        simulation.trace(() -> begun + " starts");
        onStart.accept(begun);
        return begun;
    }

    @Override
    public String toString() {
        return name();
    }
}
