package io.weir.fabric;

import io.weir.test.CProgram;
import io.weir.test.EmulatedLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The tests over emulations of libraries that are gone, in a JVM of their own, and each with its outcome here. */
@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class EmulationTest {

    @TempDir
    Path folder;

    @TestFactory
    List<DynamicNode> myrinet() throws IOException, InterruptedException {
        return overGm(
                "gm",
                Lane.isWhole() ? "20" : "5",
                Lane.isWhole()
                        ? ".*((Gm(Contract|Small|Agreement|Wire|Leaving|Costs|Transport)|OverGm|LongestMessage)OnEmulation|Scene)"
                        : ".*Gm(Contract|Agreement)OnEmulation",
                Map.of());
    }

    /** So few tokens that most of what is sent waits for one, and nobody is told at once that it has arrived. */
    @TestFactory
    @Tag("whole")
    List<DynamicNode> myrinetWithFewTokens() throws IOException, InterruptedException {
        return overGm(
                "gm-few-tokens",
                "5",
                ".*Gm(Contract|Wire|Leaving)OnEmulation",
                Map.of(
                        "GMEMU_SEND_TOKENS", "3",
                        "GMEMU_RECEIVE_TOKENS", "6",
                        "GMEMU_DELAY_US", "100",
                        "GMEMU_FAST", "none"));
    }

    @TestFactory
    @Tag("whole")
    List<DynamicNode> myrinetOfTheFirstRelease() throws IOException, InterruptedException {
        return overGm("gm-1", "5", ".*Gm(Contract|Agreement)OnEmulation", Map.of("GMEMU_FAST", "all"), "-DGM_1");
    }

    @TestFactory
    @Tag("whole")
    List<DynamicNode> myrinetThatFails() throws IOException, InterruptedException {
        return overGm("gm-fails", "5", ".*GmFailingOnEmulation", Map.of("GMEMU_FAIL_EVERY", "50"));
    }

    @TestFactory
    @Tag("whole")
    List<DynamicNode> myrinetThatRegistersLittle() throws IOException, InterruptedException {
        return overGm(
                "gm-registers-little",
                "5",
                ".*GmScarceOnEmulation",
                Map.of("GMEMU_REGISTER_LIMIT", Integer.toString(6 << 20)));
    }

    @TestFactory
    List<DynamicNode> qsnet() throws IOException, InterruptedException {
        return overElan(
                "elan",
                Lane.isWhole() ? "20" : "5",
                Lane.isWhole()
                        ? ".*((Elan(Contract|Small|Agreement|Wire|Costs|Asked)|OverElan|LongestMessage)OnEmulation|Scene)"
                        : ".*Elan(Contract|Agreement)OnEmulation",
                Map.of());
    }

    /** What is sent is moved late, and must not be touched before. */
    @TestFactory
    @Tag("whole")
    List<DynamicNode> qsnetThatIsSlow() throws IOException, InterruptedException {
        return overElan("elan-slow", "5", ".*Elan(Contract|Wire)OnEmulation", Map.of("ELANEMU_DELAY_US", "100"));
    }

    private List<DynamicNode> overGm(
            String name, String effort, String classes, Map<String, String> more, String... options)
            throws IOException, InterruptedException {
        return over(EmulatedLibrary.GM, name, effort, classes, more, options);
    }

    private List<DynamicNode> overElan(String name, String effort, String classes, Map<String, String> more)
            throws IOException, InterruptedException {
        return over(EmulatedLibrary.ELAN, name, effort, classes, more);
    }

    private List<DynamicNode> over(
            EmulatedLibrary library,
            String name,
            String effort,
            String classes,
            Map<String, String> more,
            String... options)
            throws IOException, InterruptedException {
        String path = library.path();
        Optional<String> missing = CProgram.missing();
        if (missing.isPresent()) {
            return Retelling.without("an emulation of " + path, missing.get());
        }
        Map<String, String> environment = new HashMap<>(more);
        environment.putAll(library.settings(library.compiled(folder, options), folder));
        Visit visit = Visit.pay(
                // It ends with this JVM, even if that is killed.
                List.of("setpriv", "--pdeathsig", "TERM"),
                List.of("-Dweir.required.transports=" + path, "-Dweir.test.effort=" + effort),
                System.getProperty("weir.fabric.classes", classes),
                name,
                environment);
        return new Retelling(name, visit.outcomes(), visit.hasRunToItsEnd(), visit::lastWords).nodes();
    }
}
