package io.weir.service;

import io.weir.channel.Peer;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Backoff;
import io.weir.core.Misconfigured;
import io.weir.core.PathRequired;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.peer.PathDecision;
import io.weir.service.directory.ServiceInstance;
import io.weir.service.remote.Callee;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * An instance that is announced: connected to, tried, waited for, or not wanted now. On the thread of its
 * {@link Roster}, but for what says otherwise.
 */
final class Contact {

    private static final Duration SHORTEST = Duration.ofMillis(100);

    /**
     * After what no repetition helps until somebody does something; a failed proof counts against us at the service as
     * well.
     */
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(30);

    private final Roster roster;
    private final ServiceInstance instance;
    private final Approach approach;
    private final Duration longest;
    private final Backoff backoff;

    private @Nullable Callee callee;
    private boolean suits;
    private @Nullable Throwable failure;
    private long connectedSince;

    /** The try that is under way, the pause before the next one, or the connection that is followed. */
    private Disposable doing = Disposables.disposed();

    private boolean begun;
    private boolean trying;
    private boolean closed;

    /** @param longest the longest pause between two tries */
    Contact(Roster roster, ServiceInstance instance, Approach approach, Duration longest) {
        this.roster = roster;
        this.instance = instance;
        this.approach = approach;
        this.longest = longest;
        Duration first = SHORTEST.compareTo(longest) < 0 ? SHORTEST : longest;
        this.backoff =
                new Backoff(first, longest, () -> ThreadLocalRandom.current().nextDouble());
    }

    ServiceInstance instance() {
        return instance;
    }

    /** Who may be called; null if nobody now. */
    @Nullable
    Callee callee() {
        return suits ? callee : null;
    }

    /** Why there is no connection, if it is known. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    boolean isIdle() {
        return !begun;
    }

    /** Whether it takes one of the places: it is connected, or being tried. */
    boolean counts() {
        return callee != null || trying;
    }

    boolean isHopeless() {
        return isHopeless(failure);
    }

    private static boolean isHopeless(@Nullable Throwable reason) {
        return reason instanceof AuthenticationFailed
                || reason instanceof PathRequired
                || reason instanceof Misconfigured
                || reason instanceof ProtocolMismatch;
    }

    /** Whether it is being tried, or is about to be, as its connection is just over. */
    boolean maySoonBeThere() {
        return trying || (callee != null && callee.hasLeft());
    }

    /** Ends the pause before the next try. */
    void tryAtOnce() {
        if (begun && !trying && callee == null && !isHopeless()) {
            doing.dispose();
            begin();
        }
    }

    void begin() {
        begun = true;
        trying = true;
        Try now = new Try();
        doing = now;
        // On the thread on which it is given up, too: Reactor drops a value that comes while its subscriber cancels.
        now.subscription.replace(approach.peer()
                .publishOn(roster.scheduler())
                .subscribe(peer -> connected(now, peer), error -> failed(now, error)));
    }

    /** Something of ours that is over when another one begins, also for what is on its way from it. */
    private static final class Try implements Disposable {

        final Disposable.Swap subscription = Disposables.swap();

        @Override
        public void dispose() {
            subscription.dispose();
        }

        @Override
        public boolean isDisposed() {
            return subscription.isDisposed();
        }
    }

    private void connected(Try its, Peer peer) {
        if (closed || doing != its) {
            return;
        }
        trying = false;
        Callee now = new Callee(peer, instance.port());
        callee = now;
        suits = approach.suits(peer.path());
        failure = null;
        connectedSince = System.nanoTime();
        Try following = new Try();
        doing = following;
        following.subscription.replace(Disposables.composite(
                peer.paths().subscribe(way -> roster.later(() -> moved(now)), error -> ended(now), () -> ended(now)),
                peer.leaving().subscribe(nothing -> {}, error -> {}, () -> ended(now))));
        roster.changed();
    }

    private void moved(Callee whose) {
        PathDecision way = whose.peer().path();
        if (callee == whose && suits != approach.suits(way)) {
            suits = !suits;
            failure = suits
                    ? null
                    : new PeerUnavailable(
                            "it must not be called over the path that the connection has now: " + way.line());
            roster.changed();
        }
    }

    /**
     * It has left, or is going to. On the loop of the peer, before anything that is under way fails: so who tries again
     * finds another one.
     */
    private void ended(Callee whose) {
        whose.leave();
        roster.later(() -> {
            if (callee == whose && !closed) {
                callee = null;
                if (System.nanoTime() - connectedSince > longest.toNanos()) {
                    backoff.reset();
                }
                PeerId id = whose.peer().id();
                failure = whose.peer().isLeaving()
                        ? new PeerUnavailable(id + " is going to leave")
                        : new SessionLost("the connection to " + id + " has ended");
                if (roster.awaitsOneTry()) {
                    // Those that wait now came after that attempt had ended, and still have theirs before them.
                    begin();
                    roster.changed();
                } else {
                    waitFor(failure);
                }
            }
        });
    }

    private void failed(Try its, Throwable reason) {
        if (!closed && doing == its) {
            waitFor(reason);
        }
    }

    private void waitFor(Throwable reason) {
        failure = reason;
        trying = false;
        Duration pause = backoff.next();
        doing = roster.later(this::again, isHopeless(reason) ? AFTER_REFUSAL : pause);
        roster.changed();
    }

    private void again() {
        if (closed) {
            return;
        }
        if (roster.hasRoom()) {
            begin();
        } else {
            begun = false;
        }
    }

    /** It is not announced any more, or nobody calls it. What is under way goes on. */
    void close() {
        closed = true;
        doing.dispose();
        Callee last = callee;
        if (last != null) {
            last.leave();
        }
    }
}
