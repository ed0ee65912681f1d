package io.weir.simulator;

import io.weir.channel.Peer;
import org.jspecify.annotations.Nullable;

/** Something for which one node connects to another one, and then sends one thing after the other. */
abstract class Errand implements Item {

    final Simulation simulation;
    final Host near;
    final Host far;
    private long begun = -1;
    private @Nullable Incarnation here;
    private boolean failed;

    Errand(Simulation simulation, Host near, Host far) {
        this.simulation = simulation;
        this.near = near;
        this.far = far;
    }

    /** They are connected. */
    abstract void send(Incarnation from, Peer peer);

    @Override
    public void begin() {
        Incarnation from = near.incarnation();
        if (!from.isThere()) {
            return;
        }
        begun = simulation.now();
        here = from;
        simulation.trace(() -> this + " begin");
        var unused = from.node()
                .connect(far.address())
                .subscribe(peer -> connected(from, peer), this::unconnected, () -> {});
    }

    private void connected(Incarnation from, Peer peer) {
        Meeting.check(simulation, peer, from, far, begun);
        send(from, peer);
    }

    private void unconnected(Throwable error) {
        failed = true;
        simulation.trace(() -> this + " do not come about: " + error);
        if (!Meeting.mayFail(simulation, near, far, begun, error)) {
            simulation.violated(this + " have not come about for no reason that was planned", error);
        }
    }

    /** Nothing has come of it, so that nothing is to be checked. */
    boolean cameToNothing() {
        return begun < 0 || failed;
    }

    /** Whether who has begun it is stopped. */
    boolean isStopped() {
        return here != null && here.isStopped();
    }

    boolean sessionMayEnd() {
        return simulation.excuses().session(near, far, begun);
    }

    /** From whom to whom. */
    String way() {
        return " from " + near + " to " + far;
    }
}
