package io.weir.path;

import io.weir.config.PathPolicy;
import io.weir.config.Repath;
import io.weir.core.Frame;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.RareLog;
import io.weir.core.Refused;
import io.weir.core.TlsSpec;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Which path a living session goes on over. The side that has connected {@link LeadingChoice leads}, the other one
 * {@link FollowingChoice follows}. Loop thread only.
 */
public abstract class PathChoice {

    private static final Logger LOG = Logs.NODE;

    private static final String STAYS = "weir.repath is off here";

    final LocalPaths paths;
    final PeerId peer;
    final PathHistory history;
    private final PeerCard card;
    private final TlsSpec tls;

    PathPolicy policy;
    DecisionRecorder recorder;
    /** Of the next decision. */
    String cause = "";

    /** Waits until the session goes where it was wanted; on the side that follows, until the other one answers. */
    @Nullable
    Promise<PathDecision> asker;

    private @Nullable LastingLink link;

    PathChoice(
            LocalPaths paths,
            PeerId peer,
            PathHistory history,
            PeerCard card,
            PathPolicy policy,
            TlsSpec tls,
            DecisionRecorder recorder) {
        this.paths = paths;
        this.peer = peer;
        this.history = history;
        this.card = card;
        this.policy = policy;
        this.tls = tls;
        this.recorder = recorder;
    }

    /** What records the next decision. */
    abstract DecisionRecorder anew();

    abstract boolean leads();

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
        return new PathAttempt(paths, loop, owner, leads(), path, number);
    }

    void begin(LastingLink its) {
        link = its;
        settled();
    }

    LastingLink link() {
        return Objects.requireNonNull(link);
    }

    /** The device of this path is missing now at our node, or back. */
    abstract void deviceChanged(String path);

    void end() {
        Promise<PathDecision> waiting = asker;
        asker = null;
        if (waiting != null) {
            waiting.error(new Refused("the connection to " + peer + " has ended"));
        }
    }

    /** Both sides have agreed to go on over this. */
    void chosen(PathAttempt used) {
        recorder.chosen(used);
        decided();
    }

    void decided() {
        PathDecision decision =
                recorder.build(peer, Instant.now(), cause.isEmpty() ? peer.name() + " has proposed it" : cause);
        recorder = anew();
        cause = "";
        history.moved(decision);
        log().info(decision.line());
    }

    static String lossOf(String path, String reason) {
        return path + " was lost: " + reason;
    }

    /** A link that the session used is lost. */
    void lost(String path, String reason, boolean wasTarget) {
        cause = lossOf(path, reason);
        recorder.failed(path, "lost", Duration.ZERO);
        String former = link().path();
        if (wasTarget && former != null) {
            // It is lost before everything went over it.
            recorder.chosen(former, null, Duration.ZERO);
            decided();
        }
    }

    /** Nothing can be agreed with the peer until {@link #reachable()}. */
    void interrupted(String why) {
        if (link().isSuspended()) {
            cause = why;
        }
        Promise<PathDecision> waiting = asker;
        asker = null;
        if (waiting != null) {
            goesNowhere(waiting, why);
        }
    }

    /** What was awaited will not be, for this reason. */
    void goesNowhere(Promise<PathDecision> waiting, String why) {
        waiting.error(new Refused("the connection to " + peer + " stays where it is: " + why));
    }

    /** Where the peer was connected to; null on the side that was. */
    @Nullable
    PeerAddress address() {
        return null;
    }

    TlsSpec tls() {
        return tls;
    }

    /** Connects again and again until the peer is reachable. */
    Redial redial(LastingLink its, PeerAddress at, TlsSpec with) {
        return new Redial(paths, its.loop(), at, with, its);
    }

    /** There is a bootstrap connection again. */
    abstract void reachable();

    /** The peer's frames wait for a path. */
    void needed() {
        // Only the side that leads looks for one.
    }

    /** This attempt was in vain. */
    void failed(PathAttempt given, String reason) {
        LOG.debug("{} over {}: {}", peer, given.path(), reason);
        recorder.failed(given.path(), reason, given.took());
    }

    /** Nothing moves: is there something better than this? */
    void settled() {
        // Only the side that leads looks.
    }

    /** An operator here wants this path, until it is lost. The promise is kept when the session goes over it. */
    void wish(String path, Promise<PathDecision> promise) {
        if (stays()) {
            promise.error(staying());
        } else {
            go(path, promise);
        }
    }

    abstract void go(String path, Promise<PathDecision> promise);

    /** What a peer that follows has said: what it wants, or what has become of a device. */
    public void told(Frame in) {
        throw new IllegalStateException("the side that follows is not followed itself");
    }

    /** Whether the peer may answer a wish. */
    boolean awaitsAnswer() {
        return false;
    }

    /** The peer has answered: it goes there now, or stays for this reason. */
    void answered(@Nullable String refusal) {
        throw new IllegalStateException("the side that leads has asked nothing");
    }

    /**
     * From now on the paths are used as this policy says, put over the present one. The promise is kept when the
     * session goes over the best path that can be opened, with the reasons against the others. If none can and the
     * present path is not of the order either, the order stays as it was.
     */
    abstract void reorder(PathPolicy order, Promise<PathDecision> promise);

    Refused staying() {
        return new Refused(STAYS);
    }

    Refused changing() {
        return new Refused("the connection to " + peer + " is just changing its path; try again");
    }
}
