package io.weir.channel;

import io.weir.core.Link;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.core.TlsSpec;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Whom a node is connected to and whom it is about to be: one session for each peer, however many connections are begun at
 * once from either side. Any thread may call; whatever belongs to a session is done on its loop.
 *
 * <p>An id is a claim. So two connections are of one peer only if the same certificate was proved on both, or none: nobody takes the
 * place of one who has proved more.
 *
 * <p>When two nodes connect to each other at once, the connection begun by the one with the lower id is kept, unless the other
 * one is in use already. That node alone decides, because each learns of the second connection at another moment: it refuses
 * the other's, which then waits for the one that is kept.
 */
final class Peers {

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);

    /** What a handshake does when it has learnt who the other side is. */
    enum Verdict {
        GO_ON,
        FULL,
        NO_MEMORY,
        CROSSED,
        ATTACH
    }

    private final Node node;
    /** An id, and what was proved with it. */
    private record Who(UUID id, @Nullable String principal) {}

    /** Who shares the memory that one may have: a principal, or else all who come from one place and have proved as much. */
    private record MemoryOwner(@Nullable String principal, boolean knowsSecret, String source) {}

    private static MemoryOwner memoryOwner(Handshake handshake) {
        String principal = handshake.principal();
        return principal == null
                ? new MemoryOwner(null, handshake.knowsSecret(), "")
                : new MemoryOwner(principal, true, "");
    }

    /** The session to be used with each peer. */
    private final Map<Who, Session> sessions = new HashMap<>();
    /** Every live session, also both ends of a connection to oneself. */
    private final Set<Session> all = new LinkedHashSet<>();

    /** Ended sessions of which something still waits to be asked for. */
    private final Set<Session> undelivered = new LinkedHashSet<>();

    private final Set<Handshake> handshakes = new LinkedHashSet<>();
    private final Map<Who, List<Waiting>> waiting = new HashMap<>();
    private boolean closing;

    Peers(Node node) {
        this.node = node;
    }

    private static Who who(Session session) {
        return new Who(session.peerId().id(), session.peer().identity().principal());
    }

    /** Null for one that was not admitted yet. */
    private static @Nullable Who who(Handshake handshake) {
        PeerId peer = handshake.peerId();
        return peer == null ? null : new Who(peer.id(), handshake.principal());
    }

    private static boolean isOfSame(Handshake one, Handshake other) {
        return one.peerId() != null
                && one.peerId().equals(other.peerId())
                && Objects.equals(one.principal(), other.principal());
    }

    /** The device of this path is missing now, or back. */
    void deviceChanged(String path) {
        List<Session> live;
        synchronized (this) {
            live = List.copyOf(all);
        }
        live.forEach(session -> session.execute(() -> session.deviceChanged(path)));
    }

    Verdict begin(Handshake handshake) {
        PeerId peer = Objects.requireNonNull(handshake.peerId());
        List<Handshake> losers = new ArrayList<>();
        Verdict verdict = Verdict.GO_ON;
        synchronized (this) {
            int order = node.id().id().compareTo(peer.id());
            Session live = sessions.get(who(handshake));
            if (handshake.connecting() && live != null && live.peerId().equals(peer)) {
                return Verdict.ATTACH;
            }
            if (live == null && others(handshake) >= node.spec().maxPeers()) {
                return Verdict.FULL;
            }
            if (!node.memoryAccount().hasRoomFor(memoryOwner(handshake))) {
                return Verdict.NO_MEMORY;
            }
            for (Handshake other : handshakes) {
                if (!isOfSame(handshake, other)) {
                    continue;
                }
                if (other.connecting() && handshake.connecting()) {
                    return Verdict.ATTACH;
                }
                boolean crossing = other.connecting() != handshake.connecting();
                if (crossing && order < 0) {
                    if (handshake.connecting()) {
                        if (other.claimed) {
                            return Verdict.ATTACH;
                        }
                        other.crossed = true;
                        losers.add(other);
                    } else {
                        verdict = Verdict.CROSSED;
                    }
                }
            }
            if (verdict == Verdict.GO_ON) {
                handshakes.add(handshake);
            }
        }
        losers.forEach(loser -> loser.loop().execute(loser::giveWay));
        return verdict;
    }

    /** How many peers there are, or will be, besides the one of this handshake, with whom there is no session. */
    private long others(Handshake handshake) {
        return all.size()
                + handshakes.stream()
                        .filter(other -> !isOfSame(handshake, other))
                        .count();
    }

    /**
     * Whether this handshake may say USE. Not if another one is preferred: of two that cross, the node with the lower id lets the first go
     * on that gets here, and the other node follows when it hears USE.
     */
    boolean claim(Handshake handshake) {
        List<Handshake> losers = new ArrayList<>();
        synchronized (this) {
            PeerId peer = handshake.peerId();
            if (handshake.crossed || peer == null) {
                return false;
            }
            handshake.claimed = true;
            // The peer says USE, or we do.
            boolean decided = !handshake.connecting() || node.id().id().compareTo(peer.id()) < 0;
            for (Handshake other : handshakes) {
                boolean crossing = isOfSame(handshake, other)
                        && other.connecting() != handshake.connecting()
                        && !peer.id().equals(node.id().id());
                if (crossing && decided && !other.crossed) {
                    other.crossed = true;
                    losers.add(other);
                }
            }
        }
        losers.forEach(loser -> loser.loop().execute(loser::giveWay));
        return true;
    }

    synchronized void end(Handshake handshake) {
        handshakes.remove(handshake);
    }

    /** The handshake has come to nothing; so has what others awaited of it, unless another one goes on. */
    void failed(Handshake handshake, WeirException reason) {
        Who peer = who(handshake);
        List<Waiting> waiters = null;
        synchronized (this) {
            if (peer != null && handshakes.stream().noneMatch(other -> isOfSame(handshake, other))) {
                waiters = waiting.remove(peer);
            }
        }
        if (waiters != null) {
            for (Waiting each : waiters) {
                each.limit.dispose();
                each.outcome.failed(reason);
            }
        }
    }

    /** The outcome is the session with this peer: the one that there is, or the one that comes within the limit. */
    void await(Handshake handshake, Duration limit, Handshake.Outcome outcome) {
        Who peer = Objects.requireNonNull(who(handshake));
        Session live;
        synchronized (this) {
            live = sessions.get(peer);
            if (live == null && closing) {
                return;
            }
            if (live == null) {
                Waiting entry = new Waiting(outcome);
                entry.limit = handshake
                        .loop()
                        .schedule(
                                () -> {
                                    if (remove(peer, entry)) {
                                        outcome.failed(new PeerUnavailable(
                                                handshake.peerId() + " was connecting to us at the same time, and did"
                                                        + " not finish within " + limit.toMillis() + " ms; try again"));
                                    }
                                },
                                limit);
                waiting.computeIfAbsent(peer, id -> new ArrayList<>()).add(entry);
                return;
            }
        }
        outcome.connected(live.peer());
    }

    /** The node closes: nobody is awaited any more. Whoever waits hears it from the node. */
    synchronized void close() {
        closing = true;
        waiting.values().forEach(entries -> entries.forEach(entry -> entry.limit.dispose()));
        waiting.clear();
    }

    private synchronized boolean remove(Who peer, Waiting entry) {
        List<Waiting> entries = waiting.get(peer);
        return entries != null && entries.remove(entry);
    }

    /**
     * The handshake has ended well: the session begins, on the handshake's loop.
     *
     * @param again whether the other side's may have begun before, with another link
     */
    void connected(Handshake handshake, Peer peer, PathChoice choice, PathAttempt used, Link link, boolean again) {
        Session session = new Session(
                node.spec(),
                node.ports(),
                node.memoryAccount().share(memoryOwner(handshake)),
                handshake.loop(),
                link,
                peer,
                handshake.connecting(),
                this::ended);
        Links links = new Links(
                session,
                handshake.sessionNumber(),
                handshake.loop(),
                handshake.bootstrap(),
                used.path(),
                used.number(),
                link,
                choice);
        session.links(links);
        peer.session(session);
        PathDecision decision = peer.path();
        LOG.info("{}", decision.line());
        for (String warning : decision.warnings()) {
            LOG.warn("{}: {}", decision.peer(), warning);
        }
        List<Waiting> waiters = register(session, handshake);
        session.begin();
        if (again) {
            links.beginsAgain();
        }
        if (node.isKilled()) {
            // Whoever ends the sessions may not have seen this one.
            session.forsake(node.id() + " is closing");
        } else if (node.isLeaving()) {
            var unused = session.tellLeaving().subscribe();
        }
        for (Waiting each : waiters) {
            each.limit.dispose();
            each.outcome.connected(peer);
        }
    }

    /** In one step: whoever connects meanwhile meets either the handshake or the session. */
    private List<Waiting> register(Session session, Handshake handshake) {
        Who peer = who(session);
        boolean oneself = peer.id().equals(node.id().id());
        Session former;
        List<Waiting> waiters;
        synchronized (this) {
            handshakes.remove(handshake);
            former = oneself && !handshake.connecting() ? null : sessions.put(peer, session);
            all.add(session);
            waiters = waiting.remove(peer);
        }
        if (former != null && !oneself) {
            Session stale = former;
            stale.execute(() -> stale.abandon(
                    new SessionLost(stale.peerId() + " has connected anew; the former connection is over")));
        }
        return waiters == null ? List.of() : waiters;
    }

    private void ended(Session session) {
        synchronized (this) {
            sessions.remove(who(session), session);
            all.remove(session);
            if (session.undelivered()) {
                undelivered.add(session);
            } else {
                undelivered.remove(session);
            }
        }
    }

    synchronized List<Session> sessions() {
        return List.copyOf(all);
    }

    synchronized List<Session> undelivered() {
        return List.copyOf(undelivered);
    }

    /** The live session of this number with this peer, on the side that leads it or the other one. */
    synchronized @Nullable Session find(PeerId peer, long number, boolean leading) {
        for (Session each : all) {
            if (each.isNumbered(number, leading) && each.peerId().equals(peer)) {
                return each;
            }
        }
        return null;
    }

    /** This peer answers there: a session with it that waits to be connected anew waits no longer. */
    void reachable(Handshake handshake, PeerAddress address, TlsSpec tls) {
        Session live;
        synchronized (this) {
            live = sessions.get(who(handshake));
        }
        if (live != null) {
            live.execute(() -> live.dial(address, tls));
        }
    }

    /** Whether there is a session with one of this id, whatever was proved. */
    synchronized boolean knows(UUID id) {
        return sessions.keySet().stream().anyMatch(peer -> peer.id().equals(id));
    }

    synchronized List<Handshake> handshakes() {
        return List.copyOf(handshakes);
    }

    private static final class Waiting {
        final Handshake.Outcome outcome;
        Disposable limit = Disposables.disposed();

        Waiting(Handshake.Outcome outcome) {
            this.outcome = outcome;
        }
    }
}
