package io.weir.channel;

import io.weir.config.PeerSpec;
import io.weir.core.Backoff;
import io.weir.core.Loop;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.SettingText;
import io.weir.core.WeirException;
import io.weir.path.Errors;
import io.weir.path.Logs;
import io.weir.path.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * A peer that the configuration names: its connection, who waits for one, and when it is tried again. There is one try
 * at a time, however many wait. Everything but {@link #get} and {@link #state} belongs to the loop, which need not be
 * the connection's.
 */
final class NamedPeer {

    private static final Logger LOG = Logs.NODE;

    private static final Duration SHORTEST = Duration.ofMillis(100);

    private final String name;
    private final PeerSpec spec;
    private final Loop loop;
    private final Mono<Peer> connecting;
    /** Between two tries. */
    private final Duration longest;

    private final Backoff backoff;
    private final Set<Waiter> waiters = new LinkedHashSet<>();

    private volatile PeerState state;
    private volatile @Nullable Peer connection;
    private @Nullable Throwable lastFailure;
    private @Nullable WeirException closed;

    /** It is to be connected, whether somebody waits or not. */
    private boolean kept;
    /** That it is away stands in the log, and that it will stay away. */
    private boolean told;

    private boolean warned;

    private long tries;
    private boolean trying;
    private Disposable attempt = Disposables.disposed();

    /** Until the next try; null when there is none to come, or one is under way. */
    private @Nullable Duration pause;

    private Disposable pauseEnd = Disposables.disposed();

    /** Runs when the connection has lasted. */
    private Disposable lasting = Disposables.disposed();

    /**
     * @param longest pause between two tries
     * @param connecting makes one try, or yields the connection that there is
     */
    NamedPeer(String name, PeerSpec spec, Duration longest, Loop loop, Mono<Peer> connecting) {
        this.name = name;
        this.spec = spec;
        this.loop = loop;
        this.longest = longest;
        this.backoff =
                new Backoff(SHORTEST, longest, () -> ThreadLocalRandom.current().nextDouble());
        this.connecting = connecting;
        this.state = new PeerState(
                name, spec.address(), PeerState.Status.AWAY, Instant.now(), Optional.empty(), Optional.empty());
    }

    PeerSpec spec() {
        return spec;
    }

    /**
     * An end of the connection is reported as soon as {@link #live} shows it, also where the loop has not noticed yet.
     * Any thread.
     */
    PeerState state() {
        PeerState last = state;
        Peer former = connection;
        if (last.status() != PeerState.Status.CONNECTED || former == null) {
            return state;
        }
        return former.hasEnded() ? state(PeerState.Status.AWAY, ended(former), null) : last;
    }

    private static PeerUnavailable ended(Peer former) {
        return new PeerUnavailable(former.endText());
    }

    /** The connection, waited for as its spec says. Any thread. */
    Mono<Peer> get() {
        return get(spec.patience(), "weir.peers." + name + ".wait");
    }

    /**
     * The connection that lives, or the next one. Any thread.
     *
     * @param limit how long it may take; 0 for one try
     * @param property what the limit is called
     */
    Mono<Peer> get(Duration limit, String property) {
        return Promise.mono(
                promise -> {
                    Peer live = live();
                    if (live != null) {
                        promise.success(live);
                        return;
                    }
                    Waiter waiter = new Waiter(promise, limit, property);
                    promise.onCancel(() -> {
                        waiter.over = true;
                        later(() -> leave(waiter));
                    });
                    try {
                        loop.execute(() -> join(waiter));
                    } catch (RejectedExecutionException e) {
                        throw new Refused(what() + " is not connected to any more: this node is closed", e);
                    }
                },
                stillConnected -> {});
    }

    /** The connection, unless it has ended. */
    @Nullable
    Peer live() {
        Peer found = connection;
        return found == null || found.hasEnded() ? null : found;
    }

    /** Connects, and stays connected, from now on. Any thread. */
    void keep() {
        later(() -> {
            kept = true;
            if (live() == null && !trying && closed == null) {
                begin();
            }
        });
    }

    /** All waiting callers get this error, and nothing is tried any more. Any thread. */
    void close(WeirException reason) {
        later(() -> {
            closed = reason;
            kept = false;
            stop();
            lasting.dispose();
            List<Waiter> all = List.copyOf(waiters);
            waiters.clear();
            all.forEach(each -> each.fail(reason));
        });
    }

    /** What the end of the loop makes void is dropped. */
    private void later(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} needs nothing any more: the node has closed", name);
        }
    }

    private void join(Waiter waiter) {
        if (waiter.over) {
            return;
        }
        if (closed != null) {
            waiter.fail(closed);
            return;
        }
        noticeEnd();
        Peer live = live();
        if (live != null) {
            waiter.promise.success(live);
            return;
        }
        waiters.add(waiter);
        waiter.triesBefore = trying ? tries - 1 : tries;
        if (!waiter.limit.isZero()) {
            waiter.end = loop.schedule(() -> tooLong(waiter), waiter.limit);
        }
        boolean canWait = pause != null && pause.compareTo(waiter.limit) < 0 && !isHopeless(lastFailure);
        if (!trying && !canWait) {
            begin();
        }
    }

    private void leave(Waiter waiter) {
        waiter.end.dispose();
        if (waiters.remove(waiter)) {
            stopIfUnwanted();
        }
    }

    private void tooLong(Waiter waiter) {
        if (!waiters.remove(waiter)) {
            return;
        }
        stopIfUnwanted();
        long count = tries - waiter.triesBefore;
        Throwable reason = lastFailure;
        waiter.fail(new PeerUnavailable(
                what() + " can't be reached: tried " + (count == 1 ? "once" : count + " times") + " in "
                        + SettingText.of(waiter.limit) + " (" + waiter.property + "); "
                        + (reason == null ? "no try has come to an end" : "the last reason: " + Errors.text(reason)),
                reason));
    }

    private void stopIfUnwanted() {
        if (waiters.isEmpty() && !kept) {
            stop();
        }
    }

    private void stop() {
        boolean waited = trying || pause != null;
        trying = false;
        attempt.dispose();
        endPause();
        backoff.reset();
        if (waited) {
            publish(PeerState.Status.AWAY);
        }
    }

    private void endPause() {
        pause = null;
        pauseEnd.dispose();
    }

    private void begin() {
        endPause();
        trying = true;
        long number = ++tries;
        publish(PeerState.Status.CONNECTING);
        // Its failure is a value: as an error that meets stop() it would be dropped aloud.
        attempt = connecting
                .onErrorResume(error -> {
                    later(() -> failed(number, error));
                    return Mono.empty();
                })
                .subscribe(peer -> later(() -> connected(number, peer)));
    }

    private void connected(long number, Peer peer) {
        if (!trying || number != tries) {
            return;
        }
        if (peer.hasEnded()) {
            failed(number, new PeerUnavailable(what() + " has ended the connection at once: " + peer.endText()));
            return;
        }
        trying = false;
        told = false;
        warned = false;
        connection = peer;
        lasting = loop.schedule(backoff::reset, longest);
        publish(PeerState.Status.CONNECTED);
        var unused = peer.paths().ignoreElements().subscribe(null, null, () -> later(this::noticeEnd));
        List<Waiter> all = List.copyOf(waiters);
        waiters.clear();
        all.forEach(each -> each.succeed(peer));
    }

    /** Looks whether the connection has ended, and if it has, goes on from there. */
    private void noticeEnd() {
        Peer former = connection;
        if (former == null || !former.hasEnded()) {
            return;
        }
        lasting.dispose();
        lastFailure = ended(former);
        if (kept) {
            pause(backoff.next());
            LOG.info("{} is away: {}; it is connected to anew", what(), former.endText());
        }
        publish(PeerState.Status.AWAY);
        connection = null;
    }

    private void failed(long number, Throwable error) {
        if (!trying || number != tries) {
            return;
        }
        trying = false;
        lastFailure = error;
        boolean hopeless = isHopeless(error);
        List<Waiter> given =
                waiters.stream().filter(each -> hopeless || each.limit.isZero()).toList();
        given.forEach(waiters::remove);
        if (kept || !waiters.isEmpty()) {
            pause(hopeless ? backoff.longest() : backoff.next());
        } else {
            backoff.reset();
        }
        publish(PeerState.Status.AWAY);
        tell(hopeless, error);
        given.forEach(each -> each.fail(error));
    }

    /** Who refuses a connection is closing or full, which passes. */
    private static boolean isHopeless(@Nullable Throwable error) {
        return error instanceof WeirException.Permanent && !(error instanceof Refused);
    }

    private void tell(boolean hopeless, Throwable error) {
        if (kept && hopeless && !warned) {
            LOG.warn(
                    "{} is tried again every {} s, but that alone will not help: {}",
                    what(),
                    longest.toSeconds(),
                    Errors.text(error));
            warned = true;
        } else if (kept && !told) {
            LOG.info("{} is not connected, and is tried again: {}", what(), Errors.text(error));
        } else {
            LOG.debug("{} is not connected: {}", what(), Errors.text(error));
        }
        told = true;
    }

    private void pause(Duration length) {
        pause = length;
        pauseEnd = loop.schedule(
                () -> {
                    // A timer that is due may be too late to be stopped.
                    if (pause != null) {
                        begin();
                    }
                },
                length);
    }

    private void publish(PeerState.Status status) {
        state = state(status, lastFailure, pause);
    }

    private PeerState state(PeerState.Status status, @Nullable Throwable failure, @Nullable Duration untilNext) {
        PeerState before = state;
        boolean same = (before.status() == PeerState.Status.CONNECTED) == (status == PeerState.Status.CONNECTED);
        Instant now = Instant.now();
        return new PeerState(
                name,
                spec.address(),
                status,
                same ? before.since() : now,
                Optional.ofNullable(failure).map(Errors::text),
                Optional.ofNullable(untilNext).map(now::plus));
    }

    private String what() {
        return "the peer " + name + " (" + spec.address() + ')';
    }

    /** Somebody who wants the connection. */
    private static final class Waiter {
        final Promise<Peer> promise;
        final Duration limit;
        final String property;
        Disposable end = Disposables.disposed();
        long triesBefore;
        /** Has lost interest, perhaps before it was in the list. Any thread. */
        volatile boolean over;

        Waiter(Promise<Peer> promise, Duration limit, String property) {
            this.promise = promise;
            this.limit = limit;
            this.property = property;
        }

        void succeed(Peer peer) {
            end.dispose();
            promise.success(peer);
        }

        void fail(Throwable reason) {
            end.dispose();
            promise.error(reason);
        }
    }
}
