package io.weir.path;

import io.weir.config.PathPolicy;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.Refused;
import io.weir.core.SettingText;
import io.weir.core.TlsSpec;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The choice of the side that was connected to: it goes where the other one leads, and says what its own operators want
 * and what becomes of its devices. Loop thread only.
 */
public final class FollowingChoice extends PathChoice {

    /** Where the operator who waits for an answer wants to go. */
    private String asked = "";

    private Disposable answerLimit = Disposables.disposed();
    /** Answers that nobody waits for any more. */
    private int lateAnswers;

    /**
     * For one session.
     *
     * @param tls how our own connections to the peer are protected
     */
    public FollowingChoice(
            LocalPaths paths, PeerId peer, PathHistory history, PeerCard card, PathPolicy policy, TlsSpec tls) {
        super(paths, peer, history, card, policy, tls, new DecisionRecorder());
    }

    @Override
    DecisionRecorder anew() {
        return new DecisionRecorder();
    }

    @Override
    boolean leads() {
        return false;
    }

    @Override
    void begin(LastingLink its) {
        super.begin(its);
        sayWhatIsMissing();
    }

    private void sayWhatIsMissing() {
        paths.devices().missing().forEach((path, reason) -> link().tellLeader(Flags.MISSING, path + ' ' + reason));
    }

    @Override
    void deviceChanged(String path) {
        String missing = paths.devices().whyNot(path);
        if (link().isReachable()) {
            link().tellLeader(
                            missing == null ? Flags.BACK : Flags.MISSING,
                            missing == null ? path : path + ' ' + missing);
        }
    }

    @Override
    void end() {
        answerLimit.dispose();
        super.end();
    }

    @Override
    void interrupted(String why) {
        answerLimit.dispose();
        lateAnswers = 0;
        super.interrupted(why);
    }

    @Override
    void reachable() {
        sayWhatIsMissing();
    }

    @Override
    boolean awaitsAnswer() {
        return asker != null || lateAnswers > 0;
    }

    @Override
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

    @Override
    void go(String path, Promise<PathDecision> promise) {
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

    @Override
    void reorder(PathPolicy order, Promise<PathDecision> promise) {
        promise.error(new Refused("the connection to " + peer
                + " was made from there, so it goes by the order there: change it at "
                + peer.name()));
    }
}
