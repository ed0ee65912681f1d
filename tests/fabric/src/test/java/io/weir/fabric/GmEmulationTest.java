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

/** Whether the emulation of GM keeps GM's rules, and ends whoever breaks one: each check of {@code gm_check.c}, which uses it as a program in C does. */
@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
class GmEmulationTest {

    private static final List<String> SANITIZED =
            List.of("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer");

    @TempDir
    Path folder;

    @TestFactory
    List<DynamicNode> asItIs() throws IOException, InterruptedException {
        return checks(List.of());
    }

    /** With memory and arithmetic watched by what the compiler adds, in the library and in the program. */
    @TestFactory
    List<DynamicNode> sanitized() throws IOException, InterruptedException {
        return checks(SANITIZED);
    }

    private List<DynamicNode> checks(List<String> options) throws IOException, InterruptedException {
        Optional<String> missing = CProgram.missing(folder, options);
        if (missing.isPresent()) {
            return Retelling.without("an emulation of GM", missing.get());
        }
        Path library = EmulatedLibrary.GM.compiled(folder, options.toArray(String[]::new));
        List<String> all = new ArrayList<>(options);
        all.add(library.toString());
        Path program = CProgram.program(EmulatedLibrary.class, "gm_check.c", folder, all.toArray(String[]::new));
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
        return status == 0 || !said.isEmpty() ? said : "exit status " + status;
    }
}
