package io.weir.path;

import io.netty.buffer.Unpooled;
import io.weir.config.PathPolicy;
import io.weir.config.Repath;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Loop;
import io.weir.core.PathRequired;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.RareLog;
import io.weir.core.Refused;
import io.weir.core.SettingText;
import io.weir.core.TlsSpec;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Which path a living session goes on over. The side that has connected leads: it proposes the next path when one is
 * lost, climbs to a better one, and goes where an operator of either side wants it. The other side follows.
 *
 * <p>What stands still goes on over TCP, which is there, and climbs at once to what was not lost itself; that has to
 * wait for a probation that doubles each time it was in vain. Loop thread only.
 */
public final class PathChoice {

    private static final Logger LOG = Logs.NODE;
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final String STAYS = "weir.repath is off here";

    /** Until all paths are tried again by a session that has none. */
    private static final Duration RETRY = Duration.ofMillis(100);

    /** The longest probation; one that has lived so long without a loss begins anew with the shortest. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final LocalPaths paths;
    private final PeerId peer;
    private final PathHistory history;
    private final PeerCard card;
    private final boolean leads;
    private PathPolicy policy;
    private PathSelector.@Nullable Selection selection;
    private final @Nullable Function<PathPolicy, PathSelector.Selection> selecting;
    private final @Nullable PeerAddress address;
    private final TlsSpec tls;
    private final Duration shortest;

    private final ArrayDeque<String> candidates = new ArrayDeque<>();
    private DecisionRecorder recorder;
    private String cause = "";
    /** What was lost last, and why. */
    private String loss = "";

    /** The better paths have not been tried yet. */
    private boolean climbsAtOnce;
    /** Lost, and not tried since. */
    private final Set<String> suspects = new LinkedHashSet<>();

    /** By path, why the peer can't use it just now. */
    private final Map<String, String> missingThere = new HashMap<>();
    /** The present path should be left, and this was not tried yet. */
    private boolean leaves = true;

    private @Nullable LastingLink link;
    private Duration probation;
    private Disposable later = Disposables.disposed();
    private Disposable calm = Disposables.disposed();

    /** Where an operator wants it, until that path is lost. */
    private @Nullable String wanted;

    /** Waits until it goes there; on the side that follows, until the other one answers. */
    private @Nullable Promise<PathDecision> asker;

    /** What counted before the order was changed for {@link #asker}; null if that one wants a path. */
    private @Nullable Order former;

    /** On the side that follows: where it wants to go. */
    private String asked = "";

    /** A peer that wants to go to and fro makes no more moves than a path that comes and goes. */
    private Disposable wishPause = Disposables.disposed();

    private Disposable answerLimit = Disposables.disposed();
    /** Answers that nobody waits for any more. */
    private int lateAnswers;

    /** By what the paths are used. */
    private record Order(
            PathPolicy policy,
            PathSelector.@Nullable Selection selection,
            @Nullable String wanted) {}

    /**
     * For one session.
     *
     * @param selection what the handshake has found worth trying, on the side that leads; null on the other
     * @param selecting the same by another policy, on that side
     * @param climbsAtOnce the session begins over TCP before all that stands before it was tried to its end
     * @param address where the peer can be connected to, on the side that leads; null on the other, and where only
     *     gateways reach it
     * @param tls how our own connections to the peer are protected
     */
    public PathChoice(
            LocalPaths paths,
            PeerId peer,
            PathHistory history,
            PeerCard card,
            PathPolicy policy,
            PathSelector.@Nullable Selection selection,
            @Nullable Function<PathPolicy, PathSelector.Selection> selecting,
            boolean climbsAtOnce,
            @Nullable PeerAddress address,
            TlsSpec tls) {
        this.paths = paths;
        this.peer = peer;
        this.history = history;
        this.card = card;
        this.leads = selection != null;
        this.policy = policy;
        this.selection = selection;
        this.selecting = selecting;
        this.climbsAtOnce = climbsAtOnce;
        this.address = address;
        this.tls = tls;
        this.shortest = paths.spec().repathProbation();
        this.probation = shortest;
        this.recorder = recorder();
    }

    private DecisionRecorder recorder() {
        return selection == null ? new DecisionRecorder() : new DecisionRecorder(selection);
    }

    boolean leads() {
        return leads;
    }

    /** Whether a lost path is the end. */
    boolean stays() {
        return policy.repathOrDefault() == Repath.OFF;
    }

    /** Whether our node is closing, so that nobody connects anew. */
    boolean nodeCloses() {
        return paths.isClosing();
    }

    /** For what a session does. */
    RareLog log() {
        return paths.sessionLog();
    }

    PeerCard card() {
        return card;
    }

    /** Why this path, which the peer has proposed, is not tried; null if it is. */
    @Nullable
    String refusal(String path) {
        return stays() ? STAYS : paths.refusal(policy, path, link().bootstrap());
    }

    PathAttempt attempt(PathAttempt.Owner owner, Loop loop, String path, int number) {
        return new PathAttempt(paths, loop, owner, leads, path, number);
    }

    void begin(LastingLink its) {
        link = its;
        tellMissing();
        settled();
    }

    private void tellMissing() {
        if (!leads) {
            paths.devices().missing().forEach((path, reason) -> link().tellLeader(Flags.MISSING, path + ' ' + reason));
        }
    }

    /** The device of this path is missing now at our node, or back. */
    void deviceChanged(String path) {
        String missing = paths.devices().whyNot(path);
        if (leads) {
            changed(path);
        } else if (link().isReachable()) {
            link().tellLeader(
                            missing == null ? Flags.BACK : Flags.MISSING,
                            missing == null ? path : path + ' ' + missing);
        }
    }

    private void deviceReported(String text, boolean missing) {
        int end = text.indexOf(' ');
        String path = end < 0 ? text : text.substring(0, end);
        if (!tries().contains(path)) {
            return;
        }
        if (missing) {
            missingThere.put(path, "at " + peer.name() + ": " + text.substring(end + 1));
        } else {
            missingThere.remove(path);
        }
        changed(path);
    }

    private @Nullable String whyNot(String path) {
        String here = paths.devices().whyNot(path);
        return here == null ? missingThere.get(path) : here;
    }

    private void changed(String path) {
        leaves |= whyNot(path) != null && path.equals(link().path());
        if (link().isSettled()) {
            settled();
        }
    }

    /**
     * While frames still flow over it, if they do: a link that is broken is reported as such. Again and again if that
     * is in vain.
     */
    private void leave(String path, String reason) {
        if (!leaves) {
            if (later.isDisposed()) {
                later = link().loop().schedule(this::leaveNow, jittered());
                longerProbation();
            }
            return;
        }
        leaves = false;
        wanted = null;
        later.dispose();
        cause = path + " can't be used any more: " + reason;
        recorder.failed(path, reason, Duration.ZERO);
        candidates.clear();
        candidates.addAll(tries());
        candidates.removeIf(each -> whyNot(each) != null);
        next();
    }

    private void leaveNow() {
        later.dispose();
        leaves = true;
        if (link().isSettled()) {
            settled();
        }
    }

    void end() {
        answerLimit.dispose();
        wishPause.dispose();
        later.dispose();
        calm.dispose();
        Promise<PathDecision> waiting = asker;
        asker = null;
        if (waiting != null) {
            waiting.error(new Refused("the connection to " + peer + " has ended"));
        }
    }

    private boolean climbs() {
        return leads && policy.repathOrDefault() == Repath.ALWAYS;
    }

    private LastingLink link() {
        return Objects.requireNonNull(link);
    }

    /** Both sides have agreed to go on over this. */
    void chosen(PathAttempt used) {
        recorder.chosen(used);
        decided();
    }

    private void decided() {
        PathDecision decision =
                recorder.build(peer, Instant.now(), cause.isEmpty() ? peer.name() + " has proposed it" : cause);
        recorder = recorder();
        cause = "";
        candidates.clear();
        history.moved(decision);
        log().info(decision.line());
    }

    /** A link that the session used is lost. */
    void lost(String path, String reason, boolean wasTarget) {
        cause = path + " was lost: " + reason;
        loss = cause;
        recorder.failed(path, "lost", Duration.ZERO);
        if (path.equals(wanted)) {
            wanted = null;
        }
        String former = link().path();
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
        if (link().isSuspended()) {
            fall(path);
        }
    }

    /** Nothing can be agreed with the peer until {@link #reachable()}. */
    void interrupted(String why) {
        candidates.clear();
        later.dispose();
        calm.dispose();
        suspects.clear();
        missingThere.clear();
        answerLimit.dispose();
        lateAnswers = 0;
        if (link().isSuspended()) {
            cause = why;
        }
        Promise<PathDecision> waiting = asker;
        asker = null;
        wanted = waiting == null ? wanted : null;
        if (waiting != null && former != null) {
            orderTried(waiting, history.present(), why);
        } else if (waiting != null) {
            waiting.error(new Refused("the connection to " + peer + " stays where it is: " + why));
        }
    }

    /** Where the peer was connected to; null on the side that was. */
    @Nullable
    PeerAddress address() {
        return address;
    }

    TlsSpec tls() {
        return tls;
    }

    /** Connects again and again until the peer is reachable. */
    Redial redial(LastingLink its, PeerAddress at, TlsSpec with) {
        return new Redial(paths, its.loop(), at, with, its);
    }

    /** There is a bootstrap connection again. */
    void reachable() {
        tellMissing();
        if (leads && link().isSuspended()) {
            fall(null);
        }
    }

    /** The peer's frames wait for a path. */
    void needed() {
        if (leads) {
            // It may have been reported already, where we had not gone over the lost path yet.
            cause = cause.isEmpty() ? loss : cause;
            fall(null);
        }
    }

    /** Tries every path, the lost one last, and TCP before all others if it can be left again. */
    private void fall(@Nullable String lost) {
        later.dispose();
        if (!link().isReachable()) {
            // What is lost with the bootstrap connection is not suspect itself, whichever is noticed first.
            return;
        }
        if (lost != null) {
            suspects.add(lost);
        }
        // Where it was wanted is lost as well, unless it is on its way there.
        wanted = asker == null ? null : wanted;
        candidates.clear();
        candidates.addAll(tries());
        toTheEnd(suspects);
        String atHand = link().bootstrap() instanceof TunnelledLink ? TunnelledLink.PATH : PathSelector.BOOTSTRAP_PATH;
        boolean overTcp = climbs() && !suspects.contains(atHand) && candidates.remove(atHand);
        if (overTcp) {
            candidates.addFirst(atHand);
            climbsAtOnce = true;
        }
        List<String> missing =
                candidates.stream().filter(path -> whyNot(path) != null).toList();
        // What is reported may be over by now, and this is better than nothing.
        toTheEnd(missing);
        if (!link().isTrying()) {
            next();
        } else if (overTcp) {
            link().giveUpFor(atHand);
        }
    }

    private void toTheEnd(Collection<String> paths) {
        List<String> last = paths.stream().filter(candidates::contains).toList();
        candidates.removeAll(last);
        candidates.addAll(last);
    }

    private List<String> tries() {
        return Objects.requireNonNull(selection).tries();
    }

    private void next() {
        String path = candidates.poll();
        if (path != null) {
            link().propose(this, path);
        } else if (link().isSuspended()) {
            orderFailed();
            later = link().loop().schedule(() -> fall(null), RETRY);
        } else {
            inVain();
        }
    }

    void failed(PathAttempt given, String reason) {
        LOG.debug("{} over {}: {}", peer, given.path(), reason);
        recorder.failed(given.path(), reason, given.took());
        if (leads) {
            next();
        }
    }

    /** No better path could be opened. */
    private void inVain() {
        Promise<PathDecision> waiting = asker;
        String path = link().path();
        boolean reordered = waiting != null && former != null;
        boolean allowed = path != null && tries().contains(path);
        if (reordered && path != null) {
            recorder.chosen(path, null, Duration.ZERO);
        }
        PathDecision attempted = recorder.build(peer, Instant.now(), reordered && allowed ? cause : "");
        recorder = recorder();
        cause = "";
        wanted = null;
        asker = null;
        if (waiting != null && reordered) {
            orderTried(waiting, attempted, attempted.line());
        } else if (waiting != null) {
            waiting.error(new Refused("the connection to " + peer + " stays where it is: " + attempted.line()));
        }
        settled();
    }

    /** Nothing moves: is there something better than this? */
    void settled() {
        String path = link().path();
        Promise<PathDecision> waiting = asker;
        if (leads && waiting != null && path != null && !link().isTrying()) {
            asker = null;
            if (former != null) {
                orderTried(waiting, history.present(), history.present().line());
            } else if (path.equals(wanted)) {
                waiting.success(history.present());
            } else {
                wanted = null;
                waiting.error(new Refused(
                        "the connection to " + peer + " has lost its path meanwhile, and goes over " + path));
            }
        }
        boolean quiet = link().isSettled() && link().isReachable() && !link().isTrying();
        if (leads && !stays() && path != null && quiet) {
            String missing = whyNot(path);
            if (missing != null) {
                leave(path, missing);
                return;
            }
        }
        boolean isBest = !climbs() || better().isEmpty();
        climbsAtOnce &= !isBest;
        if (isBest || wanted != null) {
            later.dispose();
        } else if (later.isDisposed() && !link().isTrying()) {
            later = link().loop().schedule(this::climb, climbsAtOnce && hasUntried() ? Duration.ZERO : jittered());
        }
        if (leads && calm.isDisposed() && probation.compareTo(shortest) > 0) {
            calm = link().loop().schedule(this::proved, LONGEST);
        }
    }

    private Duration jittered() {
        double jitter = 0.8 + RANDOM.nextDouble() * 0.4;
        return Duration.ofNanos((long) (probation.toNanos() * jitter));
    }

    /** Whether there is a better path that was not lost itself. */
    private boolean hasUntried() {
        return !suspects.containsAll(better());
    }

    private void proved() {
        calm.dispose();
        probation = shortest;
    }

    private void longerProbation() {
        Duration twice = probation.multipliedBy(2);
        probation = twice.compareTo(LONGEST) > 0 && shortest.compareTo(LONGEST) < 0 ? LONGEST : twice;
    }

    /** What stands before the present path. */
    private List<String> ahead() {
        String path = link().path();
        int at = path == null ? -1 : tries().indexOf(path);
        return tries().subList(0, at < 0 ? tries().size() : at);
    }

    /** Of that, what is not known to be missing. */
    private List<String> better() {
        return ahead().stream().filter(each -> whyNot(each) == null).toList();
    }

    private void climb() {
        later.dispose();
        if (!link().isSettled() || link().isTrying() || !link().isReachable()) {
            return;
        }
        cause = "it stands before " + link().path();
        candidates.clear();
        candidates.addAll(better());
        if (climbsAtOnce && hasUntried()) {
            candidates.removeAll(suspects);
        } else {
            suspects.clear();
            // Should this be in vain, or not last.
            longerProbation();
            calm.dispose();
        }
        climbsAtOnce = false;
        next();
    }

    /** An operator here wants this path, until it is lost. The promise is kept when the session goes over it. */
    void wish(String path, Promise<PathDecision> promise) {
        if (stays()) {
            promise.error(new Refused(STAYS));
        } else if (leads) {
            go(path, "an operator wants it", promise);
        } else {
            ask(path, promise);
        }
    }

    /** The peer, who follows, says what it wants, or what has become of a device. */
    public void told(Frame in) {
        String text = HandshakeCodec.readReason(in.body());
        if (in.has(Flags.MISSING) || in.has(Flags.BACK)) {
            deviceReported(text, in.has(Flags.MISSING));
        } else {
            wished(text);
        }
    }

    private void wished(String path) {
        Promise.<PathDecision>mono(
                        promise -> {
                            if (stays()) {
                                promise.error(new Refused(STAYS));
                            } else if (!wishPause.isDisposed()) {
                                promise.error(new Refused("it was moved for you only just now; try again"));
                            } else {
                                go(path, "an operator at " + peer.name() + " wants it", promise);
                                if (promise.equals(asker)) {
                                    wishPause = link().loop().schedule(() -> {}, shortest);
                                }
                            }
                        },
                        moved -> {})
                .subscribe(
                        moved -> link().send(FrameKind.OPENED, LastingLink.WISH, Unpooled.EMPTY_BUFFER),
                        error -> link().send(
                                        FrameKind.FAILED, LastingLink.WISH, HandshakeCodec.text(Errors.text(error))));
    }

    /** Whether the peer may answer a wish. */
    boolean awaitsAnswer() {
        return !leads && (asker != null || lateAnswers > 0);
    }

    /** The peer has answered: it goes there now, or stays for this reason. */
    void answered(@Nullable String refusal) {
        if (lateAnswers > 0) {
            lateAnswers--;
            return;
        }
        answerLimit.dispose();
        Promise<PathDecision> waiting = Objects.requireNonNull(asker);
        asker = null;
        PathDecision present = history.present();
        if (refusal != null) {
            waiting.error(new Refused(peer + ", which has connected, decides: " + refusal));
        } else if (present.chosen().filter(path -> path.path().equals(asked)).isEmpty()) {
            waiting.error(new Refused("the connection to " + peer + " was moved to " + asked
                    + ", but has lost that path meanwhile: " + present.line()));
        } else {
            waiting.success(present);
        }
    }

    private void ask(String path, Promise<PathDecision> promise) {
        String refusal = refusal(path);
        if (refusal != null) {
            promise.error(new Refused(path + " can't be used to " + peer + ": " + refusal));
        } else if (!link().isReachable() || asker != null) {
            promise.error(changing());
        } else {
            asker = promise;
            asked = path;
            Duration limit = paths.spec().timeouts().resume();
            answerLimit = link().loop().schedule(() -> unanswered(promise, limit), limit);
            link().tellLeader(0, path);
        }
    }

    private void unanswered(Promise<PathDecision> waiting, Duration limit) {
        asker = null;
        lateAnswers++;
        waiting.error(new Refused(peer + ", which has connected, decides, and has not answered within "
                + SettingText.of(limit) + " (weir.timeout.resume)"));
    }

    private void go(String path, String why, Promise<PathDecision> promise) {
        if (!tries().contains(path)) {
            promise.error(new Refused(path + " can't be used to " + peer + ": "
                    + Objects.requireNonNull(selection).reasonAgainst(path)));
            return;
        }
        String missing = whyNot(path);
        if (missing != null) {
            promise.error(new Refused(path + " can't be used to " + peer + ": " + missing));
            return;
        }
        if (!link().isSettled() || link().isTrying() || !link().isReachable() || asker != null) {
            promise.error(changing());
            return;
        }
        wanted = path;
        later.dispose();
        if (path.equals(link().path())) {
            promise.success(history.present());
            return;
        }
        asker = promise;
        former = null;
        cause = why;
        candidates.clear();
        candidates.add(path);
        next();
    }

    /**
     * From now on the paths are used as this policy says, put over the present one. The promise is kept when the
     * session goes over the best path that can be opened, with the reasons against the others. If none can and the
     * present path is not of the order either, the order stays as it was.
     */
    void reorder(PathPolicy order, Promise<PathDecision> promise) {
        if (selecting == null) {
            promise.error(new Refused("the connection to " + peer
                    + " was made from there, so it goes by the order there: change it at "
                    + peer.name()));
            return;
        }
        if (stays()) {
            promise.error(new Refused(STAYS));
            return;
        }
        PathPolicy changed = policy.and(order);
        paths.checkOrder(order, changed);
        PathSelector.Selection found = selecting.apply(changed);
        if (found.refusal() != null) {
            promise.error(new PathRequired(found.refusal()));
        } else if (link().isTrying() || asker != null || (mustLeave(found) && !canLeave())) {
            promise.error(changing());
        } else {
            former = new Order(policy, selection, wanted);
            policy = changed;
            selection = found;
            goByNewOrder(promise);
        }
    }

    private boolean mustLeave(PathSelector.Selection found) {
        String path = link().path();
        return path != null && !found.tries().contains(path);
    }

    private boolean canLeave() {
        return link().isSettled() && link().isReachable();
    }

    private void goByNewOrder(Promise<PathDecision> promise) {
        recorder = recorder();
        wanted = null;
        suspects.clear();
        later.dispose();
        if (!canLeave()) {
            // Whoever looks for a path next goes by it, and need not have proved itself.
            climbsAtOnce = true;
            promise.success(history.present());
        } else if (better().isEmpty() && tries().contains(Objects.requireNonNull(link().path()))) {
            promise.success(history.present());
        } else {
            asker = promise;
            cause = "an operator has changed the order of paths";
            candidates.clear();
            candidates.addAll(better());
            ahead().forEach(this::noteMissing);
            next();
        }
    }

    /** It has no turn, and the decision says why. */
    private void noteMissing(String path) {
        String missing = whyNot(path);
        if (missing != null) {
            recorder.failed(path, missing, Duration.ZERO);
        }
    }

    /**
     * All that the new order has before the present path was tried: a path that it does not have at all must not be
     * gone on over.
     */
    private void orderTried(Promise<PathDecision> waiting, PathDecision found, String why) {
        String path = link().path();
        if (path == null || tries().contains(path)) {
            waiting.success(found);
        } else {
            formerOrder(waiting, why);
        }
    }

    /** The present path was lost, and none of the new order could be opened. */
    private void orderFailed() {
        Promise<PathDecision> waiting = asker;
        if (waiting != null && former != null) {
            asker = null;
            formerOrder(waiting, recorder.build(peer, Instant.now()).line());
        }
    }

    private void formerOrder(Promise<PathDecision> waiting, String why) {
        Order before = Objects.requireNonNull(former);
        policy = before.policy();
        selection = before.selection();
        wanted = before.wanted();
        recorder = recorder();
        waiting.error(new Refused(
                "the order of paths to " + peer + " stays as it was, no path of the new one can be used: " + why));
    }

    private Refused changing() {
        return new Refused("the connection to " + peer + " is just changing its path; try again");
    }
}
