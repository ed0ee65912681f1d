package io.weir.fabric;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.weir.fabric.Outcome.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;

/** The tests of a {@link Visit}, each once more here, with the outcome that it had there. */
final class Retelling {

    private final String place;
    private final List<Outcome> outcomes;
    private final boolean ended;
    private final Supplier<String> lastWords;

    /**
     * @param place where the tests have run, for people
     * @param outcomes in the order in which they were written
     * @param ended whether that has run to its end
     * @param lastWords what it said before it died
     */
    Retelling(String place, List<Outcome> outcomes, boolean ended, Supplier<String> lastWords) {
        this.place = place;
        this.outcomes = outcomes;
        this.ended = ended;
        this.lastWords = lastWords;
    }

    /**
     * What there is to tell where nobody could go: a test, as a build counts no factory that is skipped. It is skipped
     * itself, or fails with {@code -Dweir.fabric=required}.
     */
    static List<DynamicNode> without(String place, String reason) {
        return List.of(dynamicTest("there is " + place, () -> {
            if ("required".equals(System.getProperty("weir.fabric"))) {
                throw new AssertionError(reason);
            }
            throw new TestAbortedException(reason);
        }));
    }

    /** A test about the whole, then a container for each of its classes. */
    List<DynamicNode> nodes() {
        List<DynamicNode> nodes = new ArrayList<>();
        nodes.add(dynamicTest(place + " runs to its end", () -> {
            if (!ended || outcomes.isEmpty()) {
                throw new AssertionError((ended ? "no test has run: " : place + " has died: ") + lastWords.get());
            }
        }));
        outcomes.stream()
                .filter(this::isFinal)
                .collect(groupingBy(Outcome::container, LinkedHashMap::new, toList()))
                .forEach((container, tests) ->
                        nodes.add(dynamicContainer(container, tests.stream().map(this::retold))));
        return nodes;
    }

    /** That a test has started is of interest only if nothing came after. */
    private boolean isFinal(Outcome outcome) {
        return outcome.kind() != Kind.STARTED
                || outcomes.stream().noneMatch(other -> other.kind() != Kind.STARTED && other.isOf(outcome));
    }

    private DynamicTest retold(Outcome outcome) {
        return dynamicTest(outcome.test(), () -> {
            switch (outcome.kind()) {
                case PASSED -> {}
                case SKIPPED -> throw new TestAbortedException(outcome.detail());
                case FAILED -> throw new FailedThere(place, outcome, outcome.detail());
                case STARTED -> throw new FailedThere(place, outcome, place + " died meanwhile: " + lastWords.get());
            }
        });
    }

    /** The trace that matters is the one from there, and stands in the message. */
    private static final class FailedThere extends AssertionError {

        private static final long serialVersionUID = 1;

        FailedThere(String place, Outcome outcome, String detail) {
            super(outcome.container() + " " + outcome.test() + ", in " + place + ": " + detail);
            setStackTrace(new StackTraceElement[0]);
        }
    }
}
