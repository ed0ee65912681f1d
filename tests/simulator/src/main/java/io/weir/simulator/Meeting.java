package io.weir.simulator;

import io.weir.channel.Peer;

/** Whether who answers is who was called. */
final class Meeting {

    private Meeting() {}

    /** The peer must be a node of this host that lived at some time since the call. */
    static void check(Simulation simulation, Peer peer, Incarnation here, Host far, long since) {
        Incarnation latest = far.incarnation();
        boolean isLatest = peer.id().equals(latest.node().id());
        if (!isLatest && !simulation.excuses().session(here.host(), far, since)) {
            simulation.violated(here + " has called " + latest + " and is given " + peer.id());
        }
    }
}
