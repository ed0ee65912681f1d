package io.weir.fabric;

import java.time.Duration;
import java.util.List;

/**
 * What became of one test of the guest, and how that is written down: a line for each, in the order in which it
 * happened.
 *
 * @param container the test's class
 * @param test the test, with its arguments; what concerns the whole class has the name of {@link #WHOLE_CLASS}
 * @param kind the outcome, or that there is none yet
 * @param took how long it ran
 * @param detail the stack trace of a failure, the reason of a skip, else empty
 */
record Outcome(String container, String test, Kind kind, Duration took, String detail) {

    static final String WHOLE_CLASS = "the whole class";

    private static final String BETWEEN = "\t";

    enum Kind {
        STARTED,
        PASSED,
        FAILED,
        SKIPPED
    }

    /** One line, whatever the texts hold. */
    String toLine() {
        return String.join(
                BETWEEN,
                List.of(kind.name(), Long.toString(took.toMillis()), escape(container), escape(test), escape(detail)));
    }

    /** @throws IllegalArgumentException if that is no line of {@link #toLine}, as one that was cut short */
    static Outcome parse(String line) {
        String[] parts = line.split(BETWEEN, -1);
        if (parts.length != 5) {
            throw new IllegalArgumentException("not an outcome: " + line);
        }
        return new Outcome(
                unescape(parts[2]),
                unescape(parts[3]),
                Kind.valueOf(parts[0]),
                Duration.ofMillis(Long.parseLong(parts[1])),
                unescape(parts[4]));
    }

    boolean isOf(Outcome other) {
        return container.equals(other.container) && test.equals(other.test);
    }

    /** Its own words for tabs and ends of lines; {@code translateEscapes} knows them all. */
    private static String escape(String text) {
        return text.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
    }

    private static String unescape(String text) {
        return text.translateEscapes();
    }
}
