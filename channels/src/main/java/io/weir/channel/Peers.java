package io.weir.channel;

import io.weir.core.Link;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.core.TlsSpec;
import io.weir.core.WeirException;
import io.weir.memory.MemoryAccount;
import io.weir.path.Contact;
import io.weir.path.LastingLink;
import io.weir.path.PathAttempt;
import io.weir.path.PathChoice;
import io.weir.path.Retained;
import io.weir.peer.Identity;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Whom a node is connected to and whom it is about to be: one session for each peer, however many connections are begun
 * at once from either side. Any thread may call; whatever belongs to a session is done on its loop.
 *
 * <p>Nobody takes the place of another one, is taken for him, or ends his session: an id is proved before it comes
 * here, and {@link Contact} says when two connections with one id count as the same. Where they do not, there are two
 * sessions.
 *
 * <p>When two nodes connect to each other at once, the connection begun by the one with the lower id is kept, unless
 * the other one is in use already. That node alone decides, because each learns of the second connection at another
 * moment: it refuses the other's, which then waits for the one that is kept.
 */
final class Peers {

    /** What a handshake does when it has learnt who the other side is. */
    enum Verdict {
        GO_ON,
        FULL,
        NO_MEMORY,
        CROSSED,
        ATTACH
    }

    private final Node node;

    /**
     * Who shares the memory that one may have: a principal, or else all who come from one place and have proved as
     * much.
     */
    private record MemoryOwner(
            @Nullable String principal,
            boolean knowsSecret,
            @Nullable Origin origin) {}

    private static MemoryOwner memoryOwner(Handshake handshake) {
        Identity its = handshake.identity();
        return its.principal() == null
                ? new MemoryOwner(null, its.knowsSecret(), handshake.origin())
                : new MemoryOwner(its.principal(), true, null);
    }

    /** The sessions to be used, by the id, oldest first. */
    private final Map<UUID, List<Known>> sessions = new HashMap<>();

    private record Known(Session session, Contact contact) {}

    /** Every live session, also both ends of a connection to oneself. */
    private final Set<Session> all = new LinkedHashSet<>();

    /** Ended sessions of which something still waits to be asked for. */
    private final Set<Session> undelivered = new LinkedHashSet<>();

    private final Set<Handshake> handshakes = new LinkedHashSet<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private boolean closing;

    Peers(Node node) {
        this.node = node;
    }

    /** The device of this path is missing now, or back. */
    void deviceChanged(String path) {
        List<Session> live;
        synchronized (this) {
            live = List.copyOf(all);
        }
        live.forEach(session -> session.execute(() -> session.link().deviceChanged(path)));
    }

    /** It has been admitted. */
    Verdict begin(Handshake handshake) {
        List<Handshake> losers = new ArrayList<>();
        Verdict verdict;
        synchronized (this) {
            if (isFull(handshake)) {
                return Verdict.FULL;
            }
            // One that is here may take the place of its former session, and take no more then: that is seen later.
            boolean known = sessions.containsKey(handshake.contact().peerId().id());
            if (!known && !hasMemoryFor(handshake)) {
                return Verdict.NO_MEMORY;
            }
            verdict = decide(handshake, losers);
            if (verdict == Verdict.GO_ON) {
                handshakes.add(handshake);
            }
        }
        losers.forEach(loser -> loser.loop().execute(loser::giveWay));
        return verdict;
    }

    private Verdict decide(Handshake handshake, List<Handshake> losers) {
        Contact contact = handshake.contact();
        if (handshake.connecting() && live(contact) != null) {
            return Verdict.ATTACH;
        }
        boolean lower = node.id().id().compareTo(contact.peerId().id()) < 0;
        for (Handshake other : handshakes) {
            if (other.equals(handshake) || !isWithSame(handshake, other)) {
                continue;
            }
            if (handshake.connecting()) {
                // A session that is about to begin is used by the peer already, perhaps.
                if (other.connecting() || (other.claimed && !other.crossed)) {
                    return Verdict.ATTACH;
                }
                if (lower) {
                    other.crossed = true;
                    losers.add(other);
                }
            } else if (other.connecting() && lower) {
                return Verdict.CROSSED;
            }
        }
        return Verdict.GO_ON;
    }

    private static boolean isWithSame(Handshake one, Handshake other) {
        return one.contact().isWithSame(other.contact());
    }

    /** The session with the same peer. */
    private @Nullable Session live(Contact contact) {
        for (Known each : sessions.getOrDefault(contact.peerId().id(), List.of())) {
            if (each.contact.isWithSame(contact)) {
                return each.session;
            }
        }
        return null;
    }

    /**
     * Whether there is no place for another peer. One that is here may take the place of its former session, which is
     * seen later.
     */
    private boolean isFull(Handshake handshake) {
        UUID id = handshake.contact().peerId().id();
        long others = handshakes.stream()
                .filter(each -> !each.contact().peerId().id().equals(id))
                .count();
        return !sessions.containsKey(id)
                && all.size() + others >= node.spec().limits().peers();
    }

    /** The same when all is known of it. */
    private boolean isFullOf(Handshake handshake) {
        long claimed = handshakes.stream()
                .filter(each -> each.claimed && !each.crossed && !isWithSame(each, handshake))
                .count();
        // The other end of a connection to oneself is no other peer.
        int most = node.spec().limits().peers() + (isOneself(handshake.contact()) ? 1 : 0);
        return all.size() - replacedBy(handshake.contact()).size() + claimed >= most;
    }

    /** Whether there is memory for a session more, beside those that are about to begin. */
    private boolean hasMemoryFor(Handshake handshake) {
        MemoryOwner owner = memoryOwner(handshake);
        long beginning = handshakes.stream()
                .filter(each -> each.claimed && !each.crossed && !each.equals(handshake))
                .filter(each -> memoryOwner(each).equals(owner))
                .count();
        return node.memoryAccount().hasRoomFor(owner, beginning + 1);
    }

    private boolean isOneself(Contact contact) {
        return contact.peerId().id().equals(node.id().id());
    }

    /** The sessions that are over when there is one with this. */
    private List<Session> replacedBy(Contact contact) {
        return isOneself(contact)
                ? List.of()
                : sessions.getOrDefault(contact.peerId().id(), List.of()).stream()
                        .filter(each -> contact.isWithSameNode(each.contact))
                        .map(Known::session)
                        .toList();
    }

    /**
     * Whether this handshake may say USE. Not if another one is preferred: of two that cross, the node with the lower
     * id lets the first go on that gets here, and the other node follows when it receives USE.
     */
    Verdict claim(Handshake handshake) {
        List<Handshake> losers = new ArrayList<>();
        synchronized (this) {
            if (handshake.crossed) {
                return Verdict.CROSSED;
            }
            if (!handshake.claimed && isFullOf(handshake)) {
                return Verdict.FULL;
            }
            // Each session is one more, whoever it claims to be with, unless it takes the place of another one.
            if (!handshake.claimed && replacedBy(handshake.contact()).isEmpty() && !hasMemoryFor(handshake)) {
                return Verdict.NO_MEMORY;
            }
            PeerId peer = handshake.contact().peerId();
            handshake.claimed = true;
            // The peer says USE, or we do.
            boolean decided = !handshake.connecting() || node.id().id().compareTo(peer.id()) < 0;
            for (Handshake other : handshakes) {
                boolean crossing = isWithSame(handshake, other)
                        && other.connecting() != handshake.connecting()
                        && !isOneself(handshake.contact());
                if (crossing && decided && !other.crossed) {
                    other.crossed = true;
                    losers.add(other);
                }
            }
        }
        losers.forEach(loser -> loser.loop().execute(loser::giveWay));
        return Verdict.GO_ON;
    }

    synchronized void end(Handshake handshake) {
        handshakes.remove(handshake);
    }

    /** The handshake has come to nothing; so has what others awaited of it, unless another one goes on. */
    void failed(Handshake handshake, WeirException reason) {
        List<Waiting> waiters = List.of();
        synchronized (this) {
            if (handshake.peerId() != null && handshakes.stream().noneMatch(other -> isWithSame(handshake, other))) {
                waiters = awaiting(handshake.contact());
            }
        }
        for (Waiting each : waiters) {
            each.limit.dispose();
            each.outcome.failed(reason);
        }
    }

    /** Those that wait for a session with the same peer; they do no longer. */
    private List<Waiting> awaiting(Contact contact) {
        List<Waiting> waiters = waiting.stream()
                .filter(each -> each.contact.isWithSame(contact))
                .toList();
        waiting.removeAll(waiters);
        return waiters;
    }

    /**
     * The outcome is the session with this peer: the one that there is, or the one that comes within the limit. Fails
     * at once if no connection is on its way that could be the peer's.
     */
    void await(Handshake handshake, Duration limit, Handshake.Outcome outcome) {
        Session live;
        synchronized (this) {
            live = live(handshake.contact());
            if (live == null && closing) {
                return;
            }
            if (live == null && mayCome(handshake.contact().peerId().id())) {
                Waiting entry = new Waiting(handshake.contact(), outcome);
                entry.limit = handshake
                        .loop()
                        .schedule(
                                () -> {
                                    if (remove(entry)) {
                                        outcome.failed(new PeerUnavailable(
                                                handshake.peerId() + " was connecting to us at the same time, and did"
                                                        + " not finish within " + limit.toMillis() + " ms; try again"));
                                    }
                                },
                                limit);
                waiting.add(entry);
                return;
            }
        }
        if (live == null) {
            outcome.failed(new PeerUnavailable(handshake.name()
                    + " did not go on, as another connection was to be kept, and there is none here; try again"));
        } else {
            outcome.connected(live.peer());
        }
    }

    /**
     * Whether a session with one of this id may be about to begin. The peer knows of the connection that it keeps from
     * our last PROOF there. So it is here, though we may not know yet whose it is, or it has failed.
     */
    private boolean mayCome(UUID id) {
        return node.doorkeeper().count() > 0
                || handshakes.stream()
                        .anyMatch(each -> each.contact().peerId().id().equals(id));
    }

    /** The node closes: nobody is awaited any more. Waiting callers get the node's error. */
    synchronized void close() {
        closing = true;
        waiting.forEach(entry -> entry.limit.dispose());
        waiting.clear();
    }

    private synchronized boolean remove(Waiting entry) {
        return waiting.remove(entry);
    }

    /**
     * The handshake has ended well: the session begins, on the handshake's loop.
     *
     * @param again whether the other side's may have begun before, with another link
     */
    void connected(Handshake handshake, Peer peer, PathChoice choice, PathAttempt used, Link link, boolean again) {
        MemoryAccount.Share memory = node.memoryAccount().share(memoryOwner(handshake));
        LastingLink lasting = new LastingLink(
                handshake.loop(),
                handshake.sessionNumber(),
                peer.id(),
                peer.identity(),
                handshake.contact().direct(),
                node.spec().timeouts(),
                new Retained(memory, node.spec().memory().resumeBytes()),
                handshake.bootstrap(),
                used.path(),
                used.number(),
                link,
                choice);
        Session session = new Session(
                node.spec(),
                node.ports(),
                memory,
                handshake.loop(),
                lasting,
                peer,
                handshake.connecting(),
                this::ended);
        peer.session(session);
        PathDecision decision = peer.path();
        node.ports().sessionLog().info(decision.line());
        for (String warning : decision.warnings()) {
            node.ports().sessionLog().warn(decision.peer() + ": " + warning);
        }
        List<Waiting> waiters = register(session, handshake);
        session.begin();
        if (again) {
            lasting.beginsAgain();
        }
        if (node.isKilled()) {
            // Whoever ends the sessions may not have seen this one.
            session.forsake(node.id() + " is closing");
        } else if (node.isLeaving()) {
            var unused = session.leaving().inform().subscribe();
        }
        connected(waiters, peer);
    }

    private static void connected(List<Waiting> waiters, Peer peer) {
        for (Waiting each : waiters) {
            each.limit.dispose();
            each.outcome.connected(peer);
        }
    }

    /** In one step: whoever connects meanwhile meets either the handshake or the session. */
    private List<Waiting> register(Session session, Handshake handshake) {
        Contact contact = handshake.contact();
        UUID id = contact.peerId().id();
        List<Session> former;
        List<Session> claimed = List.of();
        List<Waiting> waiters;
        synchronized (this) {
            handshakes.remove(handshake);
            all.add(session);
            former = replacedBy(contact);
            if (!isOneself(contact) || handshake.connecting()) {
                List<Known> known = sessions.computeIfAbsent(id, any -> new ArrayList<>(1));
                known.removeIf(each -> former.contains(each.session));
                claimed = known.stream().map(Known::session).toList();
                known.add(new Known(session, contact));
            }
            waiters = awaiting(contact);
        }
        for (Session stale : former) {
            stale.execute(() -> stale.abandon(
                    new SessionLost(stale.peerId() + " has connected anew; the former connection is over")));
        }
        // If one was his who has connected, and he has given it up, it is dead.
        claimed.forEach(other -> other.execute(other::askWhetherThere));
        return waiters;
    }

    private void ended(Session session) {
        synchronized (this) {
            sessions.computeIfPresent(session.peerId().id(), (id, known) -> {
                known.removeIf(each -> each.session.equals(session));
                return known.isEmpty() ? null : known;
            });
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
            if (each.link().isNumbered(number, leading) && each.peerId().equals(peer)) {
                return each;
            }
        }
        return null;
    }

    /** This peer answers there: a session with it that waits to be connected anew waits no longer. */
    void reachable(Handshake handshake, PeerAddress address, TlsSpec tls) {
        Session live;
        synchronized (this) {
            live = live(handshake.contact());
        }
        if (live != null) {
            live.execute(() -> live.link().dial(address, tls));
        }
    }

    /** Whether there is a session with one of this id, whatever was proved. */
    synchronized boolean knows(UUID id) {
        return sessions.containsKey(id);
    }

    synchronized List<Handshake> handshakes() {
        return List.copyOf(handshakes);
    }

    private static final class Waiting {
        final Contact contact;
        final Handshake.Outcome outcome;
        Disposable limit = Disposables.disposed();

        Waiting(Contact contact, Handshake.Outcome outcome) {
            this.contact = contact;
            this.outcome = outcome;
        }
    }
}
