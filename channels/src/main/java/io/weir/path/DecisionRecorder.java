package io.weir.path;

import io.weir.core.PeerId;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects what happens to the candidates of one handshake. Confined to its loop. */
public final class DecisionRecorder {

    private final Map<String, PathDecision.Attempt> attempts = new LinkedHashMap<>();
    private String caveat = "";

    /**
     * Starts with the candidates: the rejected ones as they are, the others as not tried until something is said of
     * them.
     */
    public DecisionRecorder(PathSelector.Selection selection) {
        for (PathSelector.Candidate candidate : selection.candidates()) {
            if (candidate instanceof PathSelector.Rejected rejected) {
                rejected(rejected.path(), rejected.reason());
            } else {
                put(candidate.path(), PathDecision.Outcome.NOT_TRIED, "", Duration.ZERO, null);
            }
        }
    }

    /** Starts with nothing: on the accepting side, which learns of each path when the other one proposes it. */
    public DecisionRecorder() {}

    void rejected(String path, String reason) {
        put(path, PathDecision.Outcome.REJECTED, reason, Duration.ZERO, null);
    }

    /** It has not had its turn yet, for this reason. */
    public void waits(String path, String reason) {
        put(path, PathDecision.Outcome.NOT_TRIED, reason, Duration.ZERO, null);
    }

    public void failed(String path, String reason, Duration took) {
        put(path, PathDecision.Outcome.FAILED, reason, took, null);
    }

    public void chosen(PathAttempt used) {
        chosen(used.path(), used.roundTrip(), used.took(), used.way());
        caveat = used.caveat();
    }

    public void chosen(String path, @Nullable Duration roundTrip, Duration took) {
        chosen(path, roundTrip, took, "");
    }

    private void chosen(String path, @Nullable Duration roundTrip, Duration took, String way) {
        PathDecision.Attempt before = attempts.get(path);
        Duration first = before == null ? null : before.roundTrip();
        boolean wasFaster = first != null && roundTrip != null && first.compareTo(roundTrip) < 0;
        put(path, PathDecision.Outcome.CHOSEN, way, took, wasFaster ? first : roundTrip);
        caveat = "";
    }

    /**
     * It was opened to be measured, and given up; null: by the other side, which does not say what it has found.
     */
    public void surveyed(String path, @Nullable Duration roundTrip, Duration took) {
        put(path, PathDecision.Outcome.MEASURED, "", took, roundTrip);
    }

    /** What is known stays, in the order that has been measured. */
    public void inOrder(PathSelector.Selection selection) {
        for (PathSelector.Candidate candidate : selection.candidates()) {
            PathDecision.Attempt known = attempts.remove(candidate.path());
            if (known != null) {
                attempts.put(candidate.path(), known);
            }
        }
    }

    /** A round trip of a path, used or not; it stays what it was. */
    public void measured(String path, Duration roundTrip) {
        PathDecision.Attempt known = attempts.get(path);
        attempts.put(
                path,
                known == null
                        ? new PathDecision.Attempt(path, PathDecision.Outcome.NOT_TRIED, "", Duration.ZERO, roundTrip)
                        : new PathDecision.Attempt(path, known.outcome(), known.reason(), known.took(), roundTrip));
    }

    public PathDecision build(PeerId peer) {
        return build(peer, Instant.now());
    }

    public PathDecision build(PeerId peer, Instant when) {
        return build(peer, when, "");
    }

    public PathDecision build(PeerId peer, Instant when, String cause) {
        PathDecision.Attempt chosen = attempts.values().stream()
                .filter(attempt -> attempt.outcome() == PathDecision.Outcome.CHOSEN)
                .findFirst()
                .orElse(null);
        List<PathDecision.Attempt> all = attempts.values().stream()
                .map(attempt -> switch (attempt.outcome()) {
                    case NOT_TRIED, MEASURED ->
                        attempt.reason().isEmpty() ? explained(attempt, whyNot(attempt, chosen)) : attempt;
                    default -> attempt;
                })
                .toList();
        return new PathDecision(peer, all, when, cause, chosen == null ? "" : caveat);
    }

    private static PathDecision.Attempt explained(PathDecision.Attempt attempt, String reason) {
        return new PathDecision.Attempt(attempt.path(), attempt.outcome(), reason, attempt.took(), attempt.roundTrip());
    }

    private static String whyNot(PathDecision.Attempt attempt, PathDecision.@Nullable Attempt chosen) {
        if (chosen == null) {
            return "the connection ended before its turn";
        }
        Duration fast = chosen.roundTrip();
        Duration slow = attempt.roundTrip();
        boolean slower = attempt.outcome() == PathDecision.Outcome.MEASURED
                && fast != null
                && slow != null
                && fast.compareTo(slow) < 0;
        return chosen.path() + (slower ? " answered faster" : " was chosen before it");
    }

    private void put(
            String path, PathDecision.Outcome outcome, String reason, Duration took, @Nullable Duration roundTrip) {
        PathDecision.Attempt before = attempts.get(path);
        Duration time = roundTrip == null && before != null ? before.roundTrip() : roundTrip;
        attempts.put(path, new PathDecision.Attempt(path, outcome, reason, took, time));
    }
}
