package io.weir.path;

import io.netty.buffer.Unpooled;
import io.weir.config.PathPolicy;
import io.weir.config.Repath;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.PathRequired;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.Refused;
import io.weir.core.TlsSpec;
import io.weir.peer.PathDecision;
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
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The choice of the side that has connected: it proposes the next path when one is lost, climbs to a better one, and
 * goes where an operator of either side wants it.
 *
 * <p>What stands still goes on over TCP, which is there, and climbs at once to what was not lost itself; that has to
 * wait for a {@link Probation}. Loop thread only.
 */
public final class LeadingChoice extends PathChoice {

    /** Until all paths are tried again by a session that has none. */
    private static final Duration RETRY = Duration.ofMillis(100);

    private PathSelector.Selection selection;
    private final Function<PathPolicy, PathSelector.Selection> selecting;
    private final @Nullable PeerAddress address;
    private final Probation probation;

    private final ArrayDeque<String> candidates = new ArrayDeque<>();
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

    private Disposable later = Disposables.disposed();

    /** Where an operator wants it, until that path is lost. */
    private @Nullable String wanted;

    /** What counted before the order was changed for who waits; null if that one wants a path. */
    private @Nullable Order former;

    /** A peer that wants to go to and fro makes no more moves than a path that comes and goes. */
    private Disposable wishPause = Disposables.disposed();

    /** By what the paths are used. */
    private record Order(
            PathPolicy policy,
            PathSelector.Selection selection,
            @Nullable String wanted) {}

    /**
     * For one session.
     *
     * @param selection what the handshake has found worth trying
     * @param selecting the same by another policy
     * @param climbsAtOnce the session begins over TCP before all that stands before it was tried to its end
     * @param address where the peer can be connected to; null where only gateways reach it
     * @param tls how our own connections to the peer are protected
     */
    public LeadingChoice(
            LocalPaths paths,
            PeerId peer,
            PathHistory history,
            PeerCard card,
            PathPolicy policy,
            PathSelector.Selection selection,
            Function<PathPolicy, PathSelector.Selection> selecting,
            boolean climbsAtOnce,
            @Nullable PeerAddress address,
            TlsSpec tls) {
        super(paths, peer, history, card, policy, tls, new DecisionRecorder(selection));
        this.selection = selection;
        this.selecting = selecting;
        this.climbsAtOnce = climbsAtOnce;
        this.address = address;
        this.probation = new Probation(paths.spec().repathProbation());
    }

    @Override
    DecisionRecorder anew() {
        return new DecisionRecorder(selection);
    }

    @Override
    boolean leads() {
        return true;
    }

    @Override
    void deviceChanged(String path) {
        changed(path);
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
                later = link().loop().schedule(this::leaveNow, probation.jittered());
                probation.prolong();
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

    @Override
    void end() {
        wishPause.dispose();
        later.dispose();
        probation.provesNothing();
        super.end();
    }

    private boolean climbs() {
        return policy.repathOrDefault() == Repath.ALWAYS;
    }

    @Override
    void decided() {
        candidates.clear();
        super.decided();
    }

    @Override
    void lost(String path, String reason, boolean wasTarget) {
        loss = lossOf(path, reason);
        if (path.equals(wanted)) {
            wanted = null;
        }
        super.lost(path, reason, wasTarget);
        later.dispose();
        probation.provesNothing();
        if (link().isSuspended()) {
            fall(path);
        }
    }

    @Override
    void interrupted(String why) {
        candidates.clear();
        later.dispose();
        probation.provesNothing();
        suspects.clear();
        missingThere.clear();
        wanted = asker == null ? wanted : null;
        super.interrupted(why);
    }

    @Override
    void goesNowhere(Promise<PathDecision> waiting, String why) {
        if (former == null) {
            super.goesNowhere(waiting, why);
        } else {
            orderTried(waiting, history.present(), why);
        }
    }

    @Override
    @Nullable
    PeerAddress address() {
        return address;
    }

    @Override
    void reachable() {
        if (link().isSuspended()) {
            fall(null);
        }
    }

    @Override
    void needed() {
        // It may have been reported already, where we had not gone over the lost path yet.
        cause = cause.isEmpty() ? loss : cause;
        fall(null);
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
        if (!link().trials().isTrying()) {
            next();
        } else if (overTcp) {
            link().trials().giveUpFor(atHand);
        }
    }

    private void toTheEnd(Collection<String> paths) {
        List<String> last = paths.stream().filter(candidates::contains).toList();
        candidates.removeAll(last);
        candidates.addAll(last);
    }

    private List<String> tries() {
        return selection.tries();
    }

    private void next() {
        String path = candidates.poll();
        if (path != null) {
            link().trials().propose(path);
        } else if (link().isSuspended()) {
            orderFailed();
            later = link().loop().schedule(() -> fall(null), RETRY);
        } else {
            inVain();
        }
    }

    @Override
    void failed(PathAttempt given, String reason) {
        super.failed(given, reason);
        next();
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
        recorder = anew();
        cause = "";
        wanted = null;
        asker = null;
        if (waiting != null && reordered) {
            orderTried(waiting, attempted, attempted.line());
        } else if (waiting != null) {
            super.goesNowhere(waiting, attempted.line());
        }
        settled();
    }

    @Override
    void settled() {
        String path = link().path();
        Promise<PathDecision> waiting = asker;
        if (waiting != null && path != null && !link().trials().isTrying()) {
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
        boolean quiet =
                link().isSettled() && link().isReachable() && !link().trials().isTrying();
        if (!stays() && path != null && quiet) {
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
        } else if (later.isDisposed() && !link().trials().isTrying()) {
            later = link().loop()
                    .schedule(this::climb, climbsAtOnce && hasUntried() ? Duration.ZERO : probation.jittered());
        }
        probation.mayEnd(link().loop());
    }

    /** Whether there is a better path that was not lost itself. */
    private boolean hasUntried() {
        return !suspects.containsAll(better());
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
        if (!link().isSettled() || link().trials().isTrying() || !link().isReachable()) {
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
            probation.prolong();
            probation.provesNothing();
        }
        climbsAtOnce = false;
        next();
    }

    @Override
    void go(String path, Promise<PathDecision> promise) {
        go(path, "an operator wants it", promise);
    }

    @Override
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
                                promise.error(staying());
                            } else if (!wishPause.isDisposed()) {
                                promise.error(new Refused("it was moved for you only just now; try again"));
                            } else {
                                go(path, "an operator at " + peer.name() + " wants it", promise);
                                if (promise.equals(asker)) {
                                    wishPause = link().loop().schedule(() -> {}, probation.shortest());
                                }
                            }
                        },
                        moved -> {})
                .subscribe(
                        moved -> link().send(FrameKind.OPENED, LastingLink.WISH, Unpooled.EMPTY_BUFFER),
                        error -> link().send(
                                        FrameKind.FAILED, LastingLink.WISH, HandshakeCodec.text(Errors.text(error))));
    }

    private void go(String path, String why, Promise<PathDecision> promise) {
        if (!tries().contains(path)) {
            promise.error(new Refused(path + " can't be used to " + peer + ": " + selection.reasonAgainst(path)));
            return;
        }
        String missing = whyNot(path);
        if (missing != null) {
            promise.error(new Refused(path + " can't be used to " + peer + ": " + missing));
            return;
        }
        if (!link().isSettled() || link().trials().isTrying() || !link().isReachable() || asker != null) {
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

    @Override
    void reorder(PathPolicy order, Promise<PathDecision> promise) {
        if (stays()) {
            promise.error(staying());
            return;
        }
        PathPolicy changed = policy.and(order);
        paths.checkOrder(order, changed);
        PathSelector.Selection found = selecting.apply(changed);
        if (found.refusal() != null) {
            promise.error(new PathRequired(found.refusal()));
        } else if (link().trials().isTrying() || asker != null || (mustLeave(found) && !canLeave())) {
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
        recorder = anew();
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
        recorder = anew();
        waiting.error(new Refused(
                "the order of paths to " + peer + " stays as it was, no path of the new one can be used: " + why));
    }
}
