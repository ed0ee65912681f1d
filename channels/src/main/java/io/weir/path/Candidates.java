package io.weir.path;

import io.weir.config.PathPolicy;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.TlsSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * The paths that the connecting side of a handshake tries, and in which order: that of the policy, or with a survey
 * that in which they have answered. Confined to the handshake's loop.
 */
public final class Candidates {

    private final Function<PathPolicy, PathSelector.Selection> selecting;
    private final PathPolicy policy;
    /** The path that the bootstrap connection is. */
    private final String bootstrap;

    private final DecisionRecorder recorder;
    private final ArrayDeque<String> left;
    private PathSelector.Selection selection;
    /** Null unless they are being measured. */
    private @Nullable Survey survey;

    private boolean climbsAtOnce;

    /**
     * Those of the policy, in its order.
     *
     * @param selecting what is worth trying, by this policy or by another one later
     * @param bootstrap the path that the bootstrap connection is
     */
    public Candidates(Function<PathPolicy, PathSelector.Selection> selecting, PathPolicy policy, String bootstrap) {
        this.selecting = selecting;
        this.policy = policy;
        this.bootstrap = bootstrap;
        this.selection = selecting.apply(policy);
        this.recorder = new DecisionRecorder(selection);
        this.left = new ArrayDeque<>(selection.tries());
    }

    /** Why no connection may be made at all; null if one may. */
    public @Nullable String refusal() {
        return selection.refusal();
    }

    /** What has come of each. */
    public DecisionRecorder recorder() {
        return recorder;
    }

    /** Whether the policy wants them measured first, and there is a choice. */
    public boolean needSurvey() {
        return policy.measured() && left.size() > 1;
    }

    /** From now on {@link #next} is the next one to be measured, until none is left. Takes over the limit. */
    public void beginSurvey(Disposable limit) {
        survey = new Survey(left, limit);
    }

    /** Whether those that work are only measured for now. */
    public boolean inSurvey() {
        return survey != null;
    }

    /** This one works; it has been given up again. */
    public void surveyed(PathAttempt probed) {
        surveyed(probed.path(), Objects.requireNonNull(probed.roundTrip()), probed.took());
    }

    void surveyed(String path, Duration roundTrip, Duration took) {
        Objects.requireNonNull(survey).measured(path, roundTrip);
        recorder.surveyed(path, roundTrip, took);
    }

    /** Orders them by what was measured so far; the others follow in their order. Does nothing without a survey. */
    public void endSurvey() {
        Survey ended = survey;
        if (ended != null) {
            survey = null;
            ended.end();
            selection = selection.inOrder(ended.ranking());
            recorder.inOrder(selection);
            left.clear();
            left.addAll(selection.tries());
        }
    }

    /** The next one: to be measured, or else to be used; null if none is left. */
    public @Nullable String next() {
        String path = survey == null ? null : survey.next();
        if (path == null) {
            endSurvey();
            path = left.poll();
        }
        return path;
    }

    /** Whether the bootstrap connection has not had its turn yet. */
    public boolean hasBootstrap() {
        return left.contains(bootstrap);
    }

    /** Whether others have their turn before the bootstrap connection has its own. */
    public boolean hasOthersBeforeBootstrap() {
        return hasBootstrap() && !bootstrap.equals(left.peek());
    }

    /**
     * The bootstrap connection has its turn now, though others stand before it: these are opened while the session goes
     * over that.
     */
    public void bootstrapFirst() {
        climbsAtOnce = true;
        for (String path : left) {
            if (path.equals(bootstrap)) {
                break;
            }
            recorder.waits(path, "it is tried when the session has begun");
        }
        left.remove(bootstrap);
        left.addFirst(bootstrap);
    }

    /** What decides on the paths of the session that begins. */
    public PathChoice choice(
            LocalPaths paths,
            PeerId peer,
            PathHistory history,
            PeerCard card,
            @Nullable PeerAddress address,
            TlsSpec tls) {
        return new LeadingChoice(paths, peer, history, card, policy, selection, selecting, climbsAtOnce, address, tls);
    }

    /** The handshake is over. */
    public void end() {
        if (survey != null) {
            survey.end();
        }
    }
}
