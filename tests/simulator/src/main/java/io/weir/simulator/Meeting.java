package io.weir.simulator;

import io.weir.channel.Peer;
import io.weir.core.AuthenticationFailed;

/** Whether who answers is who was called, and whether somebody may answer at all. */
final class Meeting {

    private Meeting() {}

    /** Whether a connection that was begun then may fail so. */
    static boolean mayFail(Simulation simulation, Host near, Host far, long since, Throwable error) {
        if (error instanceof AuthenticationFailed) {
            return !near.shares(far);
        }
        return simulation.excuses().connecting(near, far, since) && Excuses.failsToConnect(error);
    }

    /** The peer must be a node of this host that lived at some time since the call. */
    static void check(Simulation simulation, Peer peer, Incarnation here, Host far, long since) {
        if (!here.host().shares(far) || peer.identity().knowsSecret() != far.hasSecret()) {
            simulation.violated(here + " is connected to " + far + " as " + peer.identity()
                    + (here.host().shares(far) ? "" : ", though they share no secret"));
        }
        Incarnation latest = far.incarnation();
        boolean isLatest = peer.id().equals(latest.node().id());
        if (!isLatest && !simulation.excuses().session(here.host(), far, since)) {
            simulation.violated(here + " has called " + latest + " and is given " + peer.id());
        }
    }
}
