package io.weir.channel;

import io.weir.config.PathPolicy;
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
 * How the path to one peer was decided: what was thought of, what was tried, and why. A value, for logs, queries and
 * tests. What a peer states about itself appears in it only as harmless text.
 *
 * @param peer who the path leads to
 * @param attempts every path, those of the order first and in that order, the measured one where it was measured
 * @param when when it was decided
 * @param cause why a connection that there was already has changed its path, as a sentence without its end; empty for
 *     its first path
 * @param caveat what an operator should know of the chosen path, or could do for it, as a sentence without its end;
 *     empty if there is nothing
 */
public record PathDecision(PeerId peer, List<Attempt> attempts, Instant when, String cause, String caveat) {

    /** What became of a path. */
    public enum Outcome {
        /** It works, and is used. */
        CHOSEN,
        /** Both sides had it ready, it was tried, and did not work. */
        FAILED,
        /**
         * It works, was opened to find out how fast it answers ({@link PathPolicy#MEASURED}), and another one is used.
         */
        MEASURED,
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
     * @param reason why, as a sentence without its end; for the chosen one the way through gateways if it has one, else
     *     empty
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

        private Attempt because(String why) {
            return new Attempt(path, outcome, why, took, roundTrip);
        }
    }

    public PathDecision {
        attempts = List.copyOf(attempts);
        cause = DecisionText.harmless(cause);
        caveat = DecisionText.harmless(caveat);
    }

    /** The path that is used; empty if none could be. */
    public Optional<Attempt> chosen() {
        return attempts.stream()
                .filter(attempt -> attempt.outcome() == Outcome.CHOSEN)
                .findFirst();
    }

    /**
     * What an operator should look at: for instance a path that stands lower in the order and answered faster, or the
     * {@link #caveat}.
     */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        Attempt chosen = chosen().orElse(null);
        if (chosen == null) {
            return List.of();
        }
        if (!caveat.isEmpty()) {
            warnings.add(chosen.path() + ": " + caveat);
        }
        Duration slow = chosen.roundTrip();
        if (slow == null) {
            return List.copyOf(warnings);
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

    /**
     * All of it in one line, leaving out what was not tried:
     * {@code billing-1a2b3c4d over shm (round trip 1.2 us); local: …}.
     */
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
        private String caveat = "";

        /**
         * Starts with the candidates: the rejected ones as they are, the others as not tried until something is said of
         * them.
         */
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

        void chosen(PathAttempt used) {
            chosen(used.path(), used.roundTrip(), used.took(), used.way());
            caveat = used.caveat();
        }

        void chosen(String path, @Nullable Duration roundTrip, Duration took) {
            chosen(path, roundTrip, took, "");
        }

        private void chosen(String path, @Nullable Duration roundTrip, Duration took, String way) {
            Attempt before = attempts.get(path);
            Duration first = before == null ? null : before.roundTrip();
            boolean wasFaster = first != null && roundTrip != null && first.compareTo(roundTrip) < 0;
            put(path, Outcome.CHOSEN, way, took, wasFaster ? first : roundTrip);
            caveat = "";
        }

        /**
         * It was opened to be measured, and given up; null: by the other side, which does not say what it has found.
         */
        void surveyed(String path, @Nullable Duration roundTrip, Duration took) {
            put(path, Outcome.MEASURED, "", took, roundTrip);
        }

        /** What is known stays, in the order that has been measured. */
        void inOrder(PathSelector.Selection selection) {
            for (PathSelector.Candidate candidate : selection.candidates()) {
                Attempt known = attempts.remove(candidate.path());
                if (known != null) {
                    attempts.put(candidate.path(), known);
                }
            }
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
            Attempt chosen = attempts.values().stream()
                    .filter(attempt -> attempt.outcome() == Outcome.CHOSEN)
                    .findFirst()
                    .orElse(null);
            List<Attempt> all = attempts.values().stream()
                    .map(attempt -> switch (attempt.outcome()) {
                        case NOT_TRIED, MEASURED ->
                            attempt.reason().isEmpty() ? attempt.because(whyNot(attempt, chosen)) : attempt;
                        default -> attempt;
                    })
                    .toList();
            return new PathDecision(peer, all, when, cause, chosen == null ? "" : caveat);
        }

        private static String whyNot(Attempt attempt, @Nullable Attempt chosen) {
            if (chosen == null) {
                return "the connection ended before its turn";
            }
            Duration fast = chosen.roundTrip();
            Duration slow = attempt.roundTrip();
            boolean slower =
                    attempt.outcome() == Outcome.MEASURED && fast != null && slow != null && fast.compareTo(slow) < 0;
            return chosen.path() + (slower ? " answered faster" : " was chosen before it");
        }

        private void put(String path, Outcome outcome, String reason, Duration took, @Nullable Duration roundTrip) {
            Attempt before = attempts.get(path);
            Duration time = roundTrip == null && before != null ? before.roundTrip() : roundTrip;
            attempts.put(path, new Attempt(path, outcome, reason, took, time));
        }
    }
}
