package io.weir.simulator;

import io.weir.channel.Peer;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Signal;

/** When nothing goes wrong any more and everybody is silent, each connection goes where an operator wants it. */
final class MovesAtRest {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** It may just be climbing by itself. */
    private static final int TRIES = 3;

    private final Simulation simulation;

    MovesAtRest(Simulation simulation) {
        this.simulation = simulation;
    }

    void run() {
        List<Incarnation> there = new ArrayList<>();
        for (Incarnation each : simulation.incarnations()) {
            if (each.isThere()) {
                there.forEach(other -> moveThereAndBack(other, each));
                there.add(each);
            }
        }
    }

    private void moveThereAndBack(Incarnation one, Incarnation other) {
        if (one.host().staysWith(other.host()) || one.peer(other) == null || other.peer(one) == null) {
            return;
        }
        move(one, other, TcpTransport.NAME);
        if (one.host().hasShm() && other.host().hasShm()) {
            move(one, other, ShmTransport.NAME);
        }
    }

    private void move(Incarnation one, Incarnation other, String path) {
        long begun = simulation.now();
        String refusals = "";
        for (int tries = 0; tries < TRIES && simulation.violation() == null; tries++) {
            String here = refusal(one, other, path);
            String there = here.isEmpty() ? "" : refusal(other, one, path);
            if (there.isEmpty()) {
                return;
            }
            refusals = here + ", and: " + there;
            simulation.pass(Duration.ofSeconds(1));
        }
        if (!simulation.excuses().session(one.host(), other.host(), begun)) {
            simulation.violated("at rest, the connection between " + one + " and " + other + " is not moved to " + path
                    + ": " + refusals);
        }
    }

    /** Empty if it goes there. */
    private String refusal(Incarnation here, Incarnation there, String path) {
        Peer peer = here.peer(there);
        if (peer == null) {
            return "it has ended";
        }
        List<Signal<PathDecision>> answer = new ArrayList<>();
        var unused = peer.moveTo(path).materialize().subscribe(answer::add);
        simulation.run(LIMIT, () -> !answer.isEmpty());
        if (answer.isEmpty()) {
            return here + " hears nothing";
        }
        Throwable error = answer.get(0).getThrowable();
        return error == null ? "" : error.toString();
    }
}
