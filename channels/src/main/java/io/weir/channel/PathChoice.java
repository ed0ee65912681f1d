package io.weir.channel;

import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.Refused;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Which path a living session goes on over. The side that has connected leads: it proposes the next path when one is lost, climbs
 * back after a probation that doubles each time it was in vain, and goes where an operator wants it. The other side follows.
 * Loop thread only.
 */
final class PathChoice {

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final String STAYS = "weir.repath is off here";

    /** Until all paths are tried again by a session that has none. */
    private static final Duration RETRY = Duration.ofMillis(100);

    /** The longest probation; one that has lived so long without a loss begins anew with the shortest. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final Node node;
    private final Peer peer;
    private final PeerCard card;
    private final boolean leads;
    private final PathPolicy policy;
    private final PathSelector.@Nullable Selection selection;
    private final @Nullable PeerAddress address;
    private final Duration shortest;

    private final ArrayDeque<String> candidates = new ArrayDeque<>();
    private PathDecision.Recorder recorder;
    private String cause = "";
    private @Nullable Links links;
    private Duration probation;
    private Disposable later = Disposables.disposed();
    private Disposable calm = Disposables.disposed();

    /** Where an operator wants it, until that path is lost. */
    private @Nullable String wanted;

    private @Nullable Promise<PathDecision> asker;

    /**
     * For one session.
     *
     * @param selection what the handshake has found worth trying, on the side that leads; null on the other
     * @param address where the peer can be connected to, on the side that leads; null on the other
     */
    PathChoice(
            Node node,
            Peer peer,
            PeerCard card,
            PathPolicy policy,
            PathSelector.@Nullable Selection selection,
            @Nullable PeerAddress address) {
        this.node = node;
        this.peer = peer;
        this.card = card;
        this.leads = selection != null;
        this.policy = policy;
        this.selection = selection;
        this.address = address;
        this.shortest = node.spec().repathProbation();
        this.probation = shortest;
        this.recorder = recorder();
    }

    private PathDecision.Recorder recorder() {
        return selection == null ? new PathDecision.Recorder() : new PathDecision.Recorder(selection);
    }

    boolean leads() {
        return leads;
    }

    /** Whether a lost path is the end. */
    boolean stays() {
        return policy.repathOrDefault() == Repath.OFF;
    }

    /** Whether our node is closing, so that nobody connects anew. */
    boolean leaves() {
        return node.isClosing();
    }

    PeerCard card() {
        return card;
    }

    /** Why this path, which the peer has proposed, is not tried; null if it is. */
    @Nullable
    String refusal(String path) {
        if (stays()) {
            return STAYS;
        }
        boolean ready = policy.of(path) != PathSwitch.OFF && node.card().ready().containsKey(path);
        return ready ? null : "path " + path + " is not ready here";
    }

    PathAttempt attempt(Links owner, Loop loop, String path, int number) {
        return new PathAttempt(node, loop, owner, leads, path, number);
    }

    void begin(Links its) {
        links = its;
        settled();
    }

    void end() {
        later.dispose();
        calm.dispose();
        Promise<PathDecision> waiting = asker;
        asker = null;
        if (waiting != null) {
            waiting.error(new Refused("the connection to " + peer.id() + " has ended"));
        }
    }

    private Links links() {
        return Objects.requireNonNull(links);
    }

    /** Both sides have agreed to go on over this. */
    void chosen(PathAttempt used) {
        recorder.chosen(used.path(), used.roundTrip(), used.took());
        decided();
    }

    private void decided() {
        PathDecision decision = recorder.build(
                peer.id(), Instant.now(), cause.isEmpty() ? peer.id().name() + " has proposed it" : cause);
        recorder = recorder();
        cause = "";
        candidates.clear();
        peer.moved(decision);
        LOG.info("{}", decision.line());
    }

    /** A link that the session used is lost. */
    void lost(String path, String reason, boolean wasTarget) {
        cause = path + " was lost: " + reason;
        recorder.failed(path, "lost", Duration.ZERO);
        if (path.equals(wanted)) {
            wanted = null;
        }
        String former = links().path();
        if (wasTarget && former != null) {
            // It is lost before everything went over it.
            recorder.chosen(former, null, Duration.ZERO);
            decided();
        }
        if (!leads) {
            return;
        }
        later.dispose();
        calm.dispose();
        if (links().suspended()) {
            fall(path);
        }
    }

    /** Nothing can be agreed with the peer until {@link #reachable()}. */
    void interrupted(String why) {
        candidates.clear();
        later.dispose();
        calm.dispose();
        if (links().suspended()) {
            cause = why;
        }
        Promise<PathDecision> waiting = asker;
        asker = null;
        wanted = waiting == null ? wanted : null;
        if (waiting != null) {
            waiting.error(new Refused("the connection to " + peer.id() + " stays where it is: " + why));
        }
    }

    /** Where the peer was connected to; null on the side that was. */
    @Nullable
    PeerAddress address() {
        return address;
    }

    /** Connects again and again until the peer is reachable. */
    Redial redial(Links its, PeerAddress at) {
        return new Redial(node, its.loop(), at, its);
    }

    /** There is a bootstrap connection again. */
    void reachable() {
        if (leads && links().suspended()) {
            fall(null);
        }
    }

    /** The peer's frames wait for a path. */
    void needed() {
        if (leads) {
            fall(null);
        }
    }

    /** Tries every path, the lost one last. */
    private void fall(@Nullable String lost) {
        later.dispose();
        if (links().trying() || !links().reachable()) {
            return;
        }
        candidates.clear();
        for (String path : tries()) {
            if (!path.equals(lost)) {
                candidates.add(path);
            }
        }
        if (lost != null && tries().contains(lost)) {
            candidates.add(lost);
        }
        next();
    }

    private List<String> tries() {
        return Objects.requireNonNull(selection).tries();
    }

    private void next() {
        String path = candidates.poll();
        if (path != null) {
            links().propose(this, path);
        } else if (links().suspended()) {
            later = links().loop().schedule(() -> fall(null), RETRY);
        } else {
            inVain();
        }
    }

    void failed(PathAttempt given, String reason) {
        LOG.debug("{} over {}: {}", peer.id(), given.path(), reason);
        recorder.failed(given.path(), reason, given.took());
        if (leads) {
            next();
        }
    }

    /** No better path could be opened. */
    private void inVain() {
        PathDecision attempted = recorder.build(peer.id());
        recorder = recorder();
        cause = "";
        wanted = null;
        Promise<PathDecision> waiting = asker;
        asker = null;
        if (waiting != null) {
            waiting.error(new Refused("the connection to " + peer.id() + " stays where it is: " + attempted.line()));
        }
        settled();
    }

    /** Nothing moves: is there something better than this? */
    void settled() {
        String path = links().path();
        Promise<PathDecision> waiting = asker;
        if (waiting != null && path != null && !links().trying()) {
            asker = null;
            if (path.equals(wanted)) {
                waiting.success(peer.path());
            } else {
                wanted = null;
                waiting.error(new Refused(
                        "the connection to " + peer.id() + " has lost its path meanwhile, and goes over " + path));
            }
        }
        boolean climbs = leads && policy.repathOrDefault() == Repath.ALWAYS && wanted == null && !better().isEmpty();
        if (!climbs) {
            later.dispose();
        } else if (later.isDisposed() && !links().trying()) {
            double jitter = 0.8 + RANDOM.nextDouble() * 0.4;
            later = links().loop().schedule(this::climb, Duration.ofNanos((long) (probation.toNanos() * jitter)));
        }
        if (leads && calm.isDisposed() && probation.compareTo(shortest) > 0) {
            calm = links().loop().schedule(this::proved, LONGEST);
        }
    }

    private void proved() {
        calm.dispose();
        probation = shortest;
    }

    private void longerProbation() {
        Duration twice = probation.multipliedBy(2);
        probation = twice.compareTo(LONGEST) > 0 && shortest.compareTo(LONGEST) < 0 ? LONGEST : twice;
    }

    private List<String> better() {
        String path = links().path();
        int at = path == null ? -1 : tries().indexOf(path);
        return at < 0 ? tries() : tries().subList(0, at);
    }

    private void climb() {
        later.dispose();
        if (!links().settled() || links().trying() || !links().reachable()) {
            return;
        }
        // Should this be in vain, or not last.
        longerProbation();
        calm.dispose();
        cause = "it stands before " + links().path();
        candidates.clear();
        candidates.addAll(better());
        next();
    }

    /** An operator wants this path, until it is lost. The promise is kept when the session goes over it. */
    void wish(String path, Promise<PathDecision> promise) {
        if (!leads) {
            promise.error(new Refused("only " + peer.id().name() + ", which has connected, can move this connection"));
            return;
        }
        if (stays()) {
            promise.error(new Refused(STAYS));
            return;
        }
        if (!tries().contains(path)) {
            promise.error(new Refused(path + " can't be used to " + peer.id() + ": "
                    + Objects.requireNonNull(selection).reasonAgainst(path)));
            return;
        }
        if (!links().settled() || links().trying() || !links().reachable() || asker != null) {
            promise.error(new Refused("the connection to " + peer.id() + " is just changing its path; try again"));
            return;
        }
        wanted = path;
        later.dispose();
        if (path.equals(links().path())) {
            promise.success(peer.path());
            return;
        }
        asker = promise;
        cause = "an operator wants it";
        candidates.clear();
        candidates.add(path);
        next();
    }
}
