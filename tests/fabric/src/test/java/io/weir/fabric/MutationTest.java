package io.weir.fabric;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.weir.fabric.Outcome.Kind;
import io.weir.test.CProgram;
import io.weir.test.EmulatedLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whether the emulations, and the tests over them, are strict enough: each slip that could be made in an adapter fails
 * a test, or has the emulation end the process behind the rule that is broken. A slip is compiled from the adapter's
 * own source, and tried in a JVM of its own, as {@link EmulationTest} tries the adapter itself.
 */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class MutationTest {

    /**
     * For whatever a test waits for, all of which takes some milliseconds: with a slip it may never come. Without one,
     * a machine that has much else to do fails nothing.
     */
    private static final int PATIENCE_SECONDS = 6;

    private static final int PATIENCE_WITHOUT_SLIP_SECONDS = 60;

    /** For a whole visit. One that reaches it has noticed nothing. */
    private static final int LIMIT_SECONDS = 90;

    /** Those that wait for what never comes leave the processors to others. */
    private static final int AT_ONCE = 3;

    private final ExecutorService visits = Executors.newFixedThreadPool(AT_ONCE);

    @TempDir
    Path folder;

    @TestFactory
    List<DynamicNode> gm() throws IOException, InterruptedException {
        return nodes(EmulatedLibrary.GM, GmMutations.ALL);
    }

    @TestFactory
    List<DynamicNode> elan() throws IOException, InterruptedException {
        return nodes(EmulatedLibrary.ELAN, ElanMutations.ALL);
    }

    /** Nothing would be tried, and nobody would know. */
    @Test
    void aSlipHasOnePlace() {
        for (String text : List.of("nothing that stands there", "private")) {
            Mutation mutation = new Mutation("a slip", "gm/GmWire.java", text, "", Proof.GM);
            assertThatThrownBy(() -> mutation.compiled(folder))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("\"a slip\" has to be written anew: gm/GmWire.java has ")
                    .hasMessageContaining(text);
        }
    }

    @AfterEach
    void end() {
        var unused = visits.shutdownNow();
    }

    /** First the tests with the adapter as it is, without which it would say nothing that they fail. */
    private List<DynamicNode> nodes(EmulatedLibrary emulated, List<Mutation> mutations) throws InterruptedException {
        String name = emulated.path();
        Optional<String> missing = CProgram.missing();
        if (missing.isPresent()) {
            return Retelling.without("an emulation of " + name, missing.get());
        }
        Path library = emulated.compiled(folder);
        List<DynamicNode> nodes = new ArrayList<>();
        mutations.stream().map(Mutation::proof).distinct().forEach(proof -> {
            nodes.add(test(
                    proof.name() + " without a slip",
                    () -> visit(
                            proof,
                            library,
                            proof.name(),
                            System.getProperty("java.class.path"),
                            PATIENCE_WITHOUT_SLIP_SECONDS),
                    MutationTest::isGreen));
        });
        String chosen = System.getProperty("weir.fabric.mutations", ".*");
        for (Mutation mutation : mutations) {
            if (mutation.slip().matches(chosen)) {
                String place = name + "-slip-" + mutations.indexOf(mutation);
                nodes.add(test(mutation.slip(), () -> visit(mutation, library, place), visit -> {
                    String notice = notice(visit, name);
                    System.out.printf("%7.1f s  %s: %s%n", visit.took().toMillis() / 1000.0, mutation.slip(), notice);
                }));
            }
        }
        return nodes;
    }

    private DynamicTest test(String name, Callable<Visit> paid, Consumer<Visit> check) {
        Future<Visit> visit = visits.submit(paid);
        return dynamicTest(name, () -> {
            try {
                check.accept(visit.get());
            } catch (ExecutionException e) {
                throw e.getCause();
            }
        });
    }

    private static void isGreen(Visit visit) {
        boolean passed = visit.outcomes().stream()
                .allMatch(outcome -> outcome.kind() == Kind.PASSED || outcome.kind() == Kind.STARTED);
        if (!passed || visit.outcomes().isEmpty() || !visit.hasRunToItsEnd()) {
            throw new AssertionError("not all tests are green: " + visit.lastWords());
        }
    }

    /**
     * Which test has failed; else what the emulation has said when it has ended the process, or what that has died of.
     */
    private static String notice(Visit visit, String library) {
        Optional<String> failed = visit.outcomes().stream()
                .filter(outcome -> outcome.kind() == Kind.FAILED)
                .findFirst()
                .map(outcome -> outcome.container() + " " + outcome.test() + ": "
                        + outcome.detail().lines().findFirst().orElse(""));
        Optional<String> said = visit.lines().stream()
                .filter(line -> line.startsWith(library + " emulation: ") || line.contains(" SIGSEGV ("))
                .findFirst();
        return failed.or(() -> visit.hasRunToItsEnd() ? Optional.empty() : said)
                .orElseThrow(() -> new AssertionError("nobody has noticed: " + visit.lastWords()));
    }

    private Visit visit(Mutation mutation, Path library, String place) throws IOException, InterruptedException {
        Path classes = Files.createDirectories(folder.resolve(place + "-classes"));
        return visit(mutation.proof(), library, place, mutation.compiled(classes), PATIENCE_SECONDS);
    }

    private Visit visit(Proof proof, Path library, String place, String classPath, int patience)
            throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>(proof.settings());
        environment.putAll(proof.library().settings(library, Files.createDirectories(folder.resolve(place))));
        return Visit.pay(
                List.of("setpriv", "--pdeathsig", "TERM", "timeout", "--signal=KILL", Integer.toString(LIMIT_SECONDS)),
                List.of(
                        // What starts quickly, as it does little else.
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx512m",
                        "-Dweir.required.transports=" + proof.library().path(),
                        "-Dweir.test.effort=1",
                        "-Dweir.test.patience=" + patience,
                        "-Dweir.fabric.methods=" + proof.methods(),
                        "-Dweir.fabric.until-failure=true"),
                classPath,
                proof.classes(),
                "slips/" + place,
                environment);
    }
}
