package io.weir.simulator;

import io.weir.channel.Peer;
import io.weir.config.Repath;
import io.weir.peer.PathDecision;

/**
 * When nothing goes wrong any more, each connection goes over the path that its sides want, and has come there as they
 * allow.
 */
final class PathsAtRest {

    private final Simulation simulation;

    PathsAtRest(Simulation simulation) {
        this.simulation = simulation;
    }

    void check() {
        for (Incarnation one : simulation.incarnations()) {
            for (Incarnation other : simulation.incarnations()) {
                Peer peer = one.isThere() && other.isThere() ? one.peer(other) : null;
                if (peer != null && other.peer(one) != null) {
                    check(one, other, peer);
                }
            }
        }
    }

    private void check(Incarnation one, Incarnation other, Peer peer) {
        // The handshake of the other one may still have gone from path to path when this one had a session.
        if (one.host().repath() == Repath.OFF && peer.pathHistory().size() > 1) {
            simulation.violated(one + " has moved its connection to " + other + ", which shall stay");
        }
        boolean climbed = peer.pathHistory().stream().map(PathDecision::cause).anyMatch(PathsAtRest::isClimb);
        if (climbed && one.host().repath() != Repath.ALWAYS) {
            simulation.violated(one + " has moved its connection to " + other + " by itself, and shall not");
        }
        String path = peer.path().chosen().map(PathDecision.Attempt::path).orElse("none");
        boolean best = path.equals(ShmTransport.NAME)
                || !one.host().hasShm()
                || !other.host().hasShm();
        boolean climbs = one.host().repath() == Repath.ALWAYS && other.host().repath() == Repath.ALWAYS;
        boolean mayBeElsewhere = simulation.excuses().isKept(peer)
                || simulation.excuses().isKept(other.peer(one))
                || simulation.excuses().session(one.host(), other.host(), simulation.now());
        if (climbs && !best && !mayBeElsewhere) {
            simulation.violated("the connection of " + one + " to " + other + " goes over " + path
                    + ", though nothing keeps it from a better path");
        }
    }

    private static boolean isClimb(String cause) {
        return cause.startsWith("it stands before ");
    }
}
