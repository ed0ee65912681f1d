package io.weir.simulator;

import io.weir.channel.Peer;
import io.weir.core.Misconfigured;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What has been done to whom, and may therefore be noticed by its users. Whatever else they notice is a violation. */
final class Excuses {

    /** Until then, both sides have noticed: links are lost within 2 s, and a guard waits for half a second. */
    static final Duration NOTICED = Duration.ofSeconds(3);

    /** Until then, a peer that only says nothing was given up. */
    static final Duration GIVEN_UP = Duration.ofSeconds(100);

    /** After a cut that is over: until who waits for an answer has given up, and the next one has come. */
    static final Duration UNREACHABLE = Duration.ofSeconds(10);

    /** As long as a session waits for another bootstrap connection, and until both sides have noticed. */
    static final Duration RESUME = Duration.ofSeconds(33);

    /**
     * Until both sides have ended a session that does not change its path: what tells the other one may be stalled, or
     * never come.
     */
    static final Duration ENDED = Duration.ofSeconds(60);

    private record Kept(Peer peer, PathDecision moved) {}

    private record Excuse(Host one, @Nullable Host other, long from, long to, boolean ofSession) {
        boolean concerns(Host a, Host b) {
            return other == null ? one == a || one == b : (one == a && other == b) || (one == b && other == a);
        }

        boolean concerns(Host host) {
            return one == host || other == host;
        }

        boolean overlaps(long begin, long end) {
            return from <= end && begin <= to;
        }
    }

    private final Simulation simulation;
    /** Some frame was damaged: only then may anybody seem to break the protocol. */
    private boolean corrupted;

    private final List<Excuse> excuses = new ArrayList<>();
    private final List<Excuse> fragile = new ArrayList<>();
    private final List<Kept> kept = new ArrayList<>();

    Excuses(Simulation simulation) {
        this.simulation = simulation;
    }

    /** Sessions between these may end from now on; with null, those of the one with anybody. */
    void session(Host one, @Nullable Host other, Duration noticed) {
        add(one, other, noticed, true);
    }

    /** Whoever tries to connect these may fail. */
    void connecting(Host one, @Nullable Host other, Duration time) {
        add(one, other, time, false);
    }

    /** A frame is damaged. */
    void corrupted() {
        corrupted = true;
    }

    /** If more happens to these within this time, their session may end. */
    void fragile(Host one, @Nullable Host other, Duration time) {
        fragile.add(new Excuse(one, other, simulation.now(), simulation.now() + time.toNanos(), true));
    }

    boolean isFragile(Host one, Host other) {
        return fragile.stream().anyMatch(each -> each.concerns(one, other) && each.to >= simulation.now());
    }

    /** This connection goes where an operator wants it, until that path is lost. */
    void kept(Peer peer, PathDecision moved) {
        kept.add(new Kept(peer, moved));
    }

    boolean isKept(@Nullable Peer peer) {
        return kept.stream().anyMatch(each -> each.peer.equals(peer) && each.moved.equals(each.peer.path()));
    }

    /** This host does nothing for some time: what is fragile may end. */
    void moreHappensTo(Host host, Duration noticed) {
        for (Excuse each : List.copyOf(fragile)) {
            if (each.concerns(host) && each.to >= simulation.now()) {
                add(each.one, each.other, noticed, true);
            }
        }
    }

    /** A node goes on after a pause: what was done to it meanwhile it notices only now. */
    void noticedLate(Host paused, long since) {
        long until = simulation.now() + NOTICED.toNanos();
        for (Excuse each : List.copyOf(excuses)) {
            if (each.concerns(paused) && each.to >= since) {
                excuses.add(new Excuse(each.one, each.other, each.from, until, each.ofSession));
            }
        }
    }

    private void add(Host one, @Nullable Host other, Duration time, boolean ofSession) {
        excuses.add(new Excuse(one, other, simulation.now(), simulation.now() + time.toNanos(), ofSession));
    }

    /** Whether a session that was used since then may have ended. */
    boolean session(Host one, Host other, long since) {
        return any(one, other, since, true);
    }

    /** Whether a connection that was begun then may have failed. */
    boolean connecting(Host one, Host other, long since) {
        return !one.incarnation().isThere() || !other.incarnation().isThere() || any(one, other, since, false);
    }

    private boolean any(Host one, Host other, long since, boolean ofSession) {
        for (Excuse each : excuses) {
            if ((each.ofSession || !ofSession) && each.concerns(one, other) && each.overlaps(since, simulation.now())) {
                return true;
            }
        }
        return false;
    }

    /** Whether this tells that the session is over, and not that something else went wrong. */
    boolean endsSession(Throwable error) {
        return error instanceof SessionLost || (error instanceof ProtocolMismatch && corrupted);
    }

    /** Whether this tells that no session came about. */
    static boolean failsToConnect(Throwable error) {
        return (error instanceof WeirException && !(error instanceof Misconfigured))
                || (error instanceof IllegalStateException
                        && String.valueOf(error.getMessage()).endsWith("is closed"));
    }
}
