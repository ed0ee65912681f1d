package io.weir.channel;

import io.weir.core.PeerId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the path to one peer was decided: what was thought of, what was tried, and why. A value, for logs, queries and tests. What a peer
 * told about itself stands in it only as harmless text.
 *
 * @param peer who the path leads to
 * @param attempts every path, those of the order first and in that order
 * @param when when it was decided
 * @param cause why a connection that there was already has changed its path, as a sentence without its end; empty for its first path
 */
public record PathDecision(PeerId peer, List<Attempt> attempts, Instant when, String cause) {

    /** What became of a path. */
    public enum Outcome {
        /** It works, and is used. */
        CHOSEN,
        /** Both sides had it ready, it was tried, and did not work. */
        FAILED,
        /** It was clear without a try that it can't or must not be used. */
        REJECTED,
        /** Its turn did not come. */
        NOT_TRIED
    }

    /**
     * One path.
     *
     * @param path its name
     * @param outcome what became of it
     * @param reason why, as a sentence without its end; empty for the chosen one
     * @param took how long the try took; zero if there was none
     * @param roundTrip measured while touching the path, at the size of the smallest frame; null if it was not
     */
    public record Attempt(
            String path,
            Outcome outcome,
            String reason,
            Duration took,
            @Nullable Duration roundTrip) {

        public Attempt {
            path = DecisionText.harmless(path);
            reason = DecisionText.harmless(reason);
        }

        private Attempt measured(Duration time) {
            return new Attempt(path, outcome, reason, took, time);
        }
    }

    public PathDecision {
        attempts = List.copyOf(attempts);
        cause = DecisionText.harmless(cause);
    }

    /** The path that is used; empty if none could be. */
    public Optional<Attempt> chosen() {
        return attempts.stream()
                .filter(attempt -> attempt.outcome() == Outcome.CHOSEN)
                .findFirst();
    }

    /** What an operator should look at: for instance a path that stands lower in the order and answered faster. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        Attempt chosen = chosen().orElse(null);
        Duration slow = chosen == null ? null : chosen.roundTrip();
        if (chosen == null || slow == null) {
            return warnings;
        }
        for (Attempt lower : attempts.subList(attempts.indexOf(chosen) + 1, attempts.size())) {
            Duration fast = lower.roundTrip();
            if (fast != null && clearlyLess(fast, slow)) {
                warnings.add(lower.path() + " answered in " + DecisionText.of(fast) + ", " + chosen.path() + " in "
                        + DecisionText.of(slow) + ", though " + chosen.path() + " stands before it");
            }
        }
        return List.copyOf(warnings);
    }

    /** By a tenth at least: less is chance, since each path is touched a few times only. */
    private static boolean clearlyLess(Duration fast, Duration slow) {
        return fast.toNanos() < slow.toNanos() - slow.toNanos() / 10;
    }

    /** All of it in one line, leaving out what was not tried: {@code billing-1a2b3c4d over shm (round trip 1.2 us); local: …}. */
    public String line() {
        return DecisionText.line(this);
    }

    /** A table for people, of several lines. */
    @Override
    public String toString() {
        return DecisionText.table(this);
    }

    /** Collects what happens to the candidates of one handshake. Confined to its loop. */
    static final class Recorder {

        private final Map<String, Attempt> attempts = new LinkedHashMap<>();

        /** Starts with the candidates: the rejected ones as they are, the others as not tried until something is said of them. */
        Recorder(PathSelector.Selection selection) {
            for (PathSelector.Candidate candidate : selection.candidates()) {
                if (candidate instanceof PathSelector.Rejected rejected) {
                    rejected(rejected.path(), rejected.reason());
                } else {
                    put(candidate.path(), Outcome.NOT_TRIED, "", Duration.ZERO, null);
                }
            }
        }

        /** Starts with nothing: on the accepting side, which learns of each path when the other one proposes it. */
        Recorder() {}

        void rejected(String path, String reason) {
            put(path, Outcome.REJECTED, reason, Duration.ZERO, null);
        }

        /** It has not had its turn yet, for this reason. */
        void waits(String path, String reason) {
            put(path, Outcome.NOT_TRIED, reason, Duration.ZERO, null);
        }

        void failed(String path, String reason, Duration took) {
            put(path, Outcome.FAILED, reason, took, null);
        }

        void chosen(String path, @Nullable Duration roundTrip, Duration took) {
            put(path, Outcome.CHOSEN, "", took, roundTrip);
        }

        /** A round trip of a path, used or not; it stays what it was. */
        void measured(String path, Duration roundTrip) {
            Attempt known = attempts.get(path);
            attempts.put(
                    path,
                    known == null
                            ? new Attempt(path, Outcome.NOT_TRIED, "", Duration.ZERO, roundTrip)
                            : known.measured(roundTrip));
        }

        PathDecision build(PeerId peer) {
            return build(peer, Instant.now());
        }

        PathDecision build(PeerId peer, Instant when) {
            return build(peer, when, "");
        }

        PathDecision build(PeerId peer, Instant when, String cause) {
            String why = attempts.values().stream()
                    .filter(attempt -> attempt.outcome() == Outcome.CHOSEN)
                    .findFirst()
                    .map(chosen -> chosen.path() + " was chosen before it")
                    .orElse("the connection ended before its turn");
            List<Attempt> all = attempts.values().stream()
                    .map(attempt -> attempt.outcome() == Outcome.NOT_TRIED
                                    && attempt.reason().isEmpty()
                            ? new Attempt(attempt.path(), attempt.outcome(), why, attempt.took(), attempt.roundTrip())
                            : attempt)
                    .toList();
            return new PathDecision(peer, all, when, cause);
        }

        private void put(String path, Outcome outcome, String reason, Duration took, @Nullable Duration roundTrip) {
            Attempt before = attempts.get(path);
            Duration time = roundTrip == null && before != null ? before.roundTrip() : roundTrip;
            attempts.put(path, new Attempt(path, outcome, reason, took, time));
        }
    }
}
