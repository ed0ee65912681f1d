package io.weir.peer;

import io.weir.core.ForeignText;
import io.weir.peer.PathDecision.Attempt;
import io.weir.peer.PathDecision.Outcome;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Prints a {@link PathDecision}. */
final class DecisionText {

    private static final List<String> HEAD = List.of("path", "outcome", "took", "round trip", "reason");

    private DecisionText() {}

    /**
     * {@code 850 ns}, {@code 1.2 us}, {@code 18 us}, {@code 3.4 ms}, {@code 2 s}: two digits are what a single look is
     * worth.
     */
    static String of(Duration time) {
        long nanos = time.toNanos();
        if (nanos < 1_000) {
            return nanos + " ns";
        }
        String unit = nanos < 999_500 ? "us" : nanos < 999_500_000 ? "ms" : "s";
        double value = nanos / (unit.equals("us") ? 1e3 : unit.equals("ms") ? 1e6 : 1e9);
        String digits = String.format(Locale.ROOT, value < 9.95 ? "%.1f" : "%.0f", value);
        return (digits.endsWith(".0") ? digits.substring(0, digits.length() - 2) : digits) + ' ' + unit;
    }

    static String line(PathDecision decision) {
        return Stream.concat(
                        Stream.of(head(decision)),
                        decision.attempts().stream()
                                .filter(attempt -> isTold(decision, attempt))
                                .map(DecisionText::why))
                .collect(Collectors.joining("; "));
    }

    /** What was clear from the beginning is not repeated when a connection moves, nor is its cause. */
    private static boolean isTold(PathDecision decision, Attempt attempt) {
        boolean first = decision.cause().isEmpty();
        return switch (attempt.outcome()) {
            case FAILED -> first || !attempt.took().isZero();
            case REJECTED -> first;
            case MEASURED -> attempt.roundTrip() != null;
            default -> false;
        };
    }

    private static String why(Attempt attempt) {
        return attempt.path() + (attempt.outcome() == Outcome.MEASURED ? roundTrip(attempt.roundTrip()) : "") + ": "
                + (attempt.outcome() == Outcome.FAILED ? "failed after " + of(attempt.took()) + ": " : "")
                + attempt.reason();
    }

    private static String head(PathDecision decision) {
        String peer = ForeignText.brief(decision.peer().toString());
        String cause = decision.cause().isEmpty() ? "" : ", because " + decision.cause();
        return decision.chosen()
                .map(chosen -> peer + " over " + chosen.path() + way(chosen) + roundTrip(chosen.roundTrip()) + cause)
                .orElse(peer + ": no path");
    }

    private static String way(Attempt chosen) {
        return chosen.reason().isEmpty() ? "" : ' ' + chosen.reason();
    }

    private static String roundTrip(@Nullable Duration time) {
        return time == null ? "" : " (round trip " + of(time) + ')';
    }

    static String table(PathDecision decision) {
        List<List<String>> rows = Stream.concat(
                        Stream.of(HEAD), decision.attempts().stream().map(DecisionText::row))
                .toList();
        int[] widths = new int[HEAD.size()];
        rows.forEach(row -> {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        });
        StringBuilder text = new StringBuilder(head(decision))
                .append(", decided ")
                .append(decision.when().truncatedTo(ChronoUnit.SECONDS));
        rows.forEach(row -> text.append("\n  ").append(aligned(row, widths)));
        decision.warnings().forEach(warning -> text.append("\n  warning: ").append(warning));
        return text.toString();
    }

    private static List<String> row(Attempt attempt) {
        Duration roundTrip = attempt.roundTrip();
        return List.of(
                attempt.path(),
                attempt.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                attempt.took().isZero() ? "-" : of(attempt.took()),
                roundTrip == null ? "-" : of(roundTrip),
                attempt.reason());
    }

    private static String aligned(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            line.append(row.get(column))
                    .append(" ".repeat(widths[column] - row.get(column).length() + 2));
        }
        return line.toString().stripTrailing();
    }
}
