package io.weir.fabric;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.weir.test.CProgram;
import io.weir.test.EmulatedLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/**
 * Whether the emulations keep the rules of their libraries, and end whoever breaks one: each check of
 * {@code gm_check.c} and {@code elan_check.c}, which use them as programs in C do.
 */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
class EmulationRulesTest {

    private static final List<String> SANITIZED =
            List.of("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer");

    /** What a check ends with that can't be tried here. */
    private static final int SKIPPED = 77;

    @TempDir
    Path folder;

    @TestFactory
    List<DynamicNode> gm() throws IOException, InterruptedException {
        return checks(EmulatedLibrary.GM, List.of());
    }

    /** With memory and arithmetic watched by what the compiler adds, in the library and in the program. */
    @TestFactory
    List<DynamicNode> gmSanitized() throws IOException, InterruptedException {
        return checks(EmulatedLibrary.GM, SANITIZED);
    }

    @TestFactory
    List<DynamicNode> elan() throws IOException, InterruptedException {
        return checks(EmulatedLibrary.ELAN, List.of());
    }

    @TestFactory
    List<DynamicNode> elanSanitized() throws IOException, InterruptedException {
        return checks(EmulatedLibrary.ELAN, SANITIZED);
    }

    private List<DynamicNode> checks(EmulatedLibrary emulated, List<String> options)
            throws IOException, InterruptedException {
        String name = emulated.path();
        Optional<String> missing = CProgram.missing(folder, options);
        if (missing.isPresent()) {
            return Retelling.without("an emulation of " + name, missing.get());
        }
        Path library = emulated.compiled(folder, options.toArray(String[]::new));
        List<String> all = new ArrayList<>(options);
        all.add(library.toString());
        Path program = CProgram.program(EmulatedLibrary.class, name + "_check.c", folder, all.toArray(String[]::new));
        List<DynamicNode> tests = new ArrayList<>();
        for (String check : run(program, "--list").split("\n")) {
            tests.add(dynamicTest(check, () -> {
                String said = run(program, check);
                if (!said.isEmpty()) {
                    throw new AssertionError(said);
                }
            }));
        }
        return tests;
    }

    /** What it says, which is nothing if all is well. It has a limit of its own. */
    private String run(Path program, String argument) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(program.toString(), argument)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        if (status == SKIPPED) {
            throw new TestAbortedException(said);
        }
        return status == 0 || !said.isEmpty() ? said : "exit status " + status;
    }
}
