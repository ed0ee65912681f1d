package io.weir.simulator;

import io.weir.channel.Peer;
import io.weir.core.Refused;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What an operator does to one connection, as the frame with a certain number arrives over one of its links: he moves
 * it to a path, or cuts it. He is told once, and soon, what has become of it, and nobody else notices.
 */
final class Wish {

    /** Until the path was tried and everything goes over it, or over another one, or the session was given up. */
    private static final Duration ANSWERED = Duration.ofSeconds(40);

    private static final String UNKNOWN = "verbs";

    private final Simulation simulation;
    private final int frame;
    private final boolean ofConnecting;
    /** Not at once, but as soon as the connection has changed its path: then on its loop, in the middle of that. */
    private final boolean atNextMove;
    /** Where he wants it; null if he cuts it. */
    private final @Nullable String path;

    private boolean answered;

    /** Often it comes soon after the one before, or after what has gone wrong. */
    Wish(Simulation simulation, int before, SplittableRandom chance) {
        this.simulation = simulation;
        this.frame = chance.nextInt(3) > 0 ? before + chance.nextInt(60) : chance.nextInt(400);
        this.ofConnecting = chance.nextInt(3) > 0;
        this.atNextMove = chance.nextInt(4) == 0;
        this.path = path(chance.nextInt(16));
    }

    private static @Nullable String path(int dice) {
        return dice == 0 ? UNKNOWN : dice < 6 ? TcpTransport.NAME : dice < 11 ? ShmTransport.NAME : null;
    }

    /** After how many frames it comes. */
    int frame() {
        return frame;
    }

    void come(Wire wire) {
        Incarnation here = (ofConnecting ? wire.first() : wire.second()).owner();
        Incarnation there = (ofConnecting ? wire.second() : wire.first()).owner();
        Peer peer = here.isThere() && !here.isStopped() ? here.peer(there) : null;
        if (peer == null || simulation.isCalm()) {
            return;
        }
        if (atNextMove) {
            var unused =
                    peer.paths().skip(peer.pathHistory().size()).take(1).subscribe(moved -> make(here, there, peer));
        } else {
            make(here, there, peer);
        }
    }

    private void make(Incarnation here, Incarnation there, Peer peer) {
        if (simulation.isCalm()) {
            return;
        }
        long begun = simulation.now();
        simulation.trace(() -> here + " wants a connection to " + there + what());
        String wanted = path;
        if (wanted == null && here.host().staysWith(there.host())) {
            simulation.excuses().session(here.host(), there.host(), Excuses.ENDED);
        }
        Mono<?> wish = wanted == null ? peer.cut() : peer.moveTo(wanted).doOnNext(moved -> check(peer, moved));
        var unused = wish.subscribe(
                moved -> {}, error -> failed(here, there, begun, error), () -> answered("it is as it was wanted"));
        expectAnswer(here, there, begun);
    }

    private void check(Peer peer, PathDecision moved) {
        simulation.excuses().kept(peer, moved);
        String over = moved.chosen().map(PathDecision.Attempt::path).orElse("none");
        if (!over.equals(path) || !moved.equals(peer.path())) {
            simulation.violated("who wants a connection over " + path + " is told that it goes over " + over
                    + ", and it goes over " + peer.path().line());
        }
    }

    private void failed(Incarnation here, Incarnation there, long begun, Throwable error) {
        answered(error.getClass().getSimpleName());
        boolean over = simulation.excuses().endsSession(error)
                && simulation.excuses().session(here.host(), there.host(), begun);
        if (!(error instanceof Refused) && !over) {
            simulation.violated("a wish of " + here + " has failed for no reason that was planned", error);
        }
    }

    /** The text of a refusal may tell real times. */
    private void answered(String answer) {
        simulation.trace(() -> "a wish for a connection" + what() + " is answered: " + answer);
        if (answered) {
            simulation.violated("a wish is answered twice");
        }
        answered = true;
    }

    private String what() {
        return path == null ? " cut" : " over " + path;
    }

    /** After a pause, the time begins anew. */
    private void expectAnswer(Incarnation here, Incarnation there, long since) {
        long until = Math.max(since, here.wentOn()) + ANSWERED.toNanos();
        simulation.at(until, () -> {
            if (answered || here.isDead() || here.isClosed()) {
                return;
            }
            if (here.isStopped() || here.wentOn() + ANSWERED.toNanos() > until) {
                here.whenGoing(() -> expectAnswer(here, there, since));
            } else {
                simulation.violated(here + " wants a connection to " + there + what() + ", and hears nothing of it");
            }
        });
    }
}
