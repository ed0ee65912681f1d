package io.weir.simulator;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One life of a host's node: from its start to its end, or to the moment when nobody runs it any more. */
final class Incarnation {

    private final Simulation simulation;
    private final Host host;
    private final int number;
    private final List<SimLoop> loops = new ArrayList<>();
    /** Every end of a link that it has had. */
    private final List<SimLink> links = new ArrayList<>();
    /** What waits until the process goes on. */
    private final List<Runnable> waiting = new ArrayList<>();

    private @Nullable Node node;
    private boolean stopped;
    private long wentOn;
    private boolean dead;
    private boolean leaving;
    private boolean closed;

    Incarnation(Simulation simulation, Host host, int number) {
        this.simulation = simulation;
        this.host = host;
        this.number = number;
    }

    Host host() {
        return host;
    }

    Node node() {
        return Objects.requireNonNull(node);
    }

    void node(Node started) {
        node = started;
    }

    List<SimLoop> loops() {
        return loops;
    }

    List<SimLink> links() {
        return links;
    }

    /** Whether its users can count on it: it runs, and does not want to end. */
    boolean isThere() {
        return node != null && !dead && !leaving;
    }

    boolean isDead() {
        return dead;
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isClosed() {
        return closed;
    }

    /** When it went on after its latest stop; 0 if there was none. */
    long wentOn() {
        return wentOn;
    }

    /** The other one as its users have it; null if they are not connected. */
    @Nullable
    Peer peer(Incarnation other) {
        return node().connected().stream()
                .filter(peer -> peer.id().equals(other.node().id()))
                .findFirst()
                .orElse(null);
    }

    /** Now, or as soon as the process goes on. */
    void whenGoing(Runnable action) {
        if (stopped) {
            waiting.add(action);
        } else {
            action.run();
        }
    }

    /** Signals come on the loop of the connection, as long as it runs. */
    void mustBeOnLoop(String who) {
        SimLoop running = simulation.running();
        if ((running == null || running.owner() != this) && loops.stream().noneMatch(SimLoop::hasEnded)) {
            simulation.violated(who + " is signalled beside its loop");
        }
    }

    /** Its threads get no processor. */
    void stop() {
        stopped = true;
    }

    void goOn() {
        stopped = false;
        wentOn = simulation.now();
        List<Runnable> missed = List.copyOf(waiting);
        waiting.clear();
        missed.forEach(Runnable::run);
    }

    /** Its threads never run again, as far as others can see. */
    void die() {
        dead = true;
        stop();
    }

    /** Leaves of its own will. */
    void close() {
        if (!leaving) {
            leaving = true;
            node().close()
                    .subscribe(
                            nothing -> {},
                            error -> simulation.violated("closing " + this + " has failed", error),
                            () -> closed = true);
        }
    }

    @Override
    public String toString() {
        return host.name() + (number == 1 ? "" : "#" + number);
    }
}
