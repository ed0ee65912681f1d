package io.weir.peer;

import io.weir.config.PathPolicy;
import io.weir.core.ForeignText;
import io.weir.core.PeerId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
            path = ForeignText.brief(path);
            reason = ForeignText.brief(reason);
        }
    }

    public PathDecision {
        attempts = List.copyOf(attempts);
        cause = ForeignText.brief(cause);
        caveat = ForeignText.brief(caveat);
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
}
