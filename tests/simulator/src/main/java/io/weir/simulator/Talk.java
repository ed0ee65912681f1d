package io.weir.simulator;

import io.weir.channel.Peer;
import io.weir.core.Refused;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One channel between two hosts, from the connecting to the end of both halves, and what is to be seen on it. */
final class Talk implements Item {

    private final Simulation simulation;
    private final int number;
    private final Host near;
    private final Host far;
    private final Side nearSide;
    private final Side farSide;
    private final boolean byHandler;
    private long begun = -1;
    private @Nullable Incarnation opener;
    private boolean failed;

    Talk(Simulation simulation, int number, Host near, Host far, SplittableRandom chance) {
        this.simulation = simulation;
        this.number = number;
        this.near = near;
        this.far = far;
        this.byHandler = chance.nextInt(4) > 0;
        this.nearSide = new Side(simulation, this, "t" + number + " at " + near, chance.split());
        this.farSide = new Side(simulation, this, "t" + number + " at " + far + ", called", chance.split());
    }

    Side other(Side side) {
        return side == nearSide ? farSide : nearSide;
    }

    Host hostOf(Side side) {
        return side == nearSide ? near : far;
    }

    @Override
    public void begin() {
        Incarnation here = near.incarnation();
        Incarnation there = far.incarnation();
        if (!here.isThere()) {
            return;
        }
        begun = simulation.now();
        opener = here;
        String port = "t" + number;
        simulation.trace(() -> this + " begins");
        if (there.isThere()) {
            serve(there, port);
        }
        var unused = here.node()
                .connect(far.address())
                .doOnNext(peer -> checkWhoItIs(peer, here))
                .onErrorMap(Unconnected::new)
                .flatMap(peer -> peer.channel(port))
                .subscribe(channel -> nearSide.use(here, channel).subscribe(), error -> failed(there, error), () -> {});
    }

    /** By a handler, or by a user who takes the channel. */
    private void serve(Incarnation there, String port) {
        if (byHandler) {
            there.node().serve(port, channel -> farSide.use(there, channel));
        } else {
            there.node()
                    .accept(port)
                    .take(1)
                    .subscribe(
                            channel -> farSide.use(there, channel).subscribe(),
                            error -> simulation.violated(this + " could not be accepted", error));
        }
    }

    private void checkWhoItIs(Peer peer, Incarnation here) {
        Meeting.check(simulation, peer, here, far, begun);
    }

    private void failed(Incarnation there, Throwable error) {
        failed = true;
        Throwable reason = error instanceof Unconnected it ? it.reason : error;
        simulation.trace(() -> this + " does not come about: " + reason);
        boolean allowed;
        if (error instanceof Unconnected) {
            allowed = Meeting.mayFail(simulation, near, far, begun, reason);
        } else if (reason instanceof Refused) {
            // The port was served by another incarnation, or by none.
            allowed = simulation.excuses().session(near, far, begun);
        } else {
            allowed = simulation.excuses().session(near, far, begun)
                    && simulation.excuses().endsSession(reason);
        }
        if (!allowed) {
            simulation.violated(this + " has not come about for no reason that was planned", reason);
        }
    }

    boolean sessionMayEnd() {
        return simulation.excuses().session(near, far, begun);
    }

    /** The session has ended at this side: within a while the other side must know as well. */
    void otherHearsOfIt(Side side) {
        simulation.after(Side.patience().toNanos(), () -> {
            Side other = other(side);
            if (other.hasBegun() && !other.isOver() && !other.incarnation().isDead()) {
                simulation.violated("the session has ended at " + side + ", but not at " + other);
            }
        });
    }

    @Override
    public boolean isOver() {
        return begun < 0 || (nearIsOver() && farIsOver());
    }

    private boolean nearIsOver() {
        return failed || nearSide.isOver() || (opener != null && opener.isStopped());
    }

    private boolean farIsOver() {
        return farSide.hasBegun()
                ? farSide.isOver() || farSide.incarnation().isStopped()
                : failed || (opener != null && opener.isStopped());
    }

    @Override
    public void checkAtRest() {
        if (begun < 0) {
            return;
        }
        boolean sessionMayHaveEnded = sessionMayEnd();
        if (!sessionMayHaveEnded && !failed && !(nearSide.hasBegun() && farSide.hasBegun())) {
            simulation.violated(this + " has not come about");
        }
        for (Side side : new Side[] {nearSide, farSide}) {
            if (side.hasBegun()) {
                side.checkAtRest(sessionMayHaveEnded);
            } else if (side == nearSide && !failed) {
                simulation.violated(this + " was never heard of again");
            }
        }
    }

    @Override
    public String toString() {
        return "t" + number + " from " + near + " to " + far;
    }

    /** Tells what failed while connecting from what fails later. */
    static final class Unconnected extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final Throwable reason;

        Throwable reason() {
            return reason;
        }

        Unconnected(Throwable reason) {
            super(null, reason, false, false);
            this.reason = reason;
        }
    }
}
