package io.weir.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.weir.fabric.Outcome.Kind;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.opentest4j.TestAbortedException;

/**
 * What became of a test in the guest becomes of it on the host: from the launcher there through the file to the tests
 * here.
 */
class RetellingTest {

    /** Run by the launcher below only, as are the next two: their names are none that a build looks for. */
    @DisplayName("Mixed")
    static final class Mixed {

        @Test
        void passes() {}

        @Test
        void fails() {
            throw new IllegalStateException("on purpose");
        }

        @Test
        @Disabled("not today")
        void isDisabled() {}

        @Test
        void isAborted() {
            Assumptions.abort("no such device");
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void isOdd(int number) {
            assertThat(number % 2).isEqualTo(1);
        }
    }

    @DisplayName("Broken")
    static final class Broken {

        @BeforeAll
        static void breakDown() {
            fail("before all");
        }

        @Test
        void isNeverReached() {}
    }

    @DisplayName("Switched")
    @Disabled("the whole of it")
    static final class Switched {

        @Test
        void isNeverReached() {}
    }

    @Test
    void eachTestHasItsOutcome() {
        Map<String, Executable> tests = retell(run(Mixed.class), true);

        assertThat(tests)
                .containsOnlyKeys(
                        "the guest runs to its end",
                        "Mixed passes()",
                        "Mixed fails()",
                        "Mixed isDisabled()",
                        "Mixed isAborted()",
                        "Mixed isOdd(int) [1] number=1",
                        "Mixed isOdd(int) [2] number=2");
        passes(tests, "the guest runs to its end");
        passes(tests, "Mixed passes()");
        fails(tests, "Mixed fails()", "Mixed fails()", "java.lang.IllegalStateException: on purpose", "Mixed.fails(");
        isSkipped(tests, "Mixed isDisabled()", "not today");
        isSkipped(tests, "Mixed isAborted()", "no such device");
        passes(tests, "Mixed isOdd(int) [1] number=1");
        fails(tests, "Mixed isOdd(int) [2] number=2", "AssertionFailedError");
    }

    @Test
    void aClassThatDoesNotBeginHasAnOutcomeToo() {
        Map<String, Executable> tests = retell(run(Broken.class, Switched.class), true);

        assertThat(tests)
                .containsOnlyKeys("the guest runs to its end", "Broken the whole class", "Switched the whole class");
        fails(tests, "Broken the whole class", "before all");
        isSkipped(tests, "Switched the whole class", "the whole of it");
    }

    @Test
    void aGuestThatDiesFailsWithTheTestItDiedIn() {
        List<Outcome> outcomes = run(Mixed.class);
        Outcome first = outcomes.get(0);
        Map<String, Executable> tests = retell(outcomes.subList(0, 1), false);

        assertThat(first.kind()).isEqualTo(Kind.STARTED);
        fails(tests, "the guest runs to its end", "the guest has died", "last words");
        fails(tests, first.container() + " " + first.test(), "the guest died meanwhile", "last words");
    }

    @Test
    void aGuestWithoutTestsFails() {
        fails(retell(List.of(), true), "the guest runs to its end", "no test has run", "last words");
    }

    private static List<Outcome> run(Class<?>... classes) {
        StringWriter file = new StringWriter();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(Stream.of(classes)
                                        .map(DiscoverySelectors::selectClass)
                                        .toList())
                                .build(),
                        new OutcomeWriter(file));
        return file.toString().lines().map(Outcome::parse).toList();
    }

    private static Map<String, Executable> retell(List<Outcome> outcomes, boolean ended) {
        return new Retelling("the guest", outcomes, ended, () -> "last words")
                .nodes().stream()
                        .flatMap(node -> tests("", node))
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static Stream<Map.Entry<String, Executable>> tests(String before, DynamicNode node) {
        String name = before + node.getDisplayName();
        return node instanceof DynamicContainer container
                ? container.getChildren().flatMap(child -> tests(name + " ", child))
                : Stream.of(Map.entry(name, ((DynamicTest) node).getExecutable()));
    }

    private static void passes(Map<String, Executable> tests, String name) {
        assertThatCode(() -> tests.get(name).execute()).as(name).doesNotThrowAnyException();
    }

    private static void fails(Map<String, Executable> tests, String name, String... told) {
        assertThatThrownBy(() -> tests.get(name).execute())
                .as(name)
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(told);
    }

    private static void isSkipped(Map<String, Executable> tests, String name, String reason) {
        assertThatThrownBy(() -> tests.get(name).execute())
                .as(name)
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContaining(reason);
    }
}
