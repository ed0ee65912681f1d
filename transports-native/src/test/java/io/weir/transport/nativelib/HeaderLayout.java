package io.weir.transport.nativelib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What we take a header of C to say, to be compared with what a compiler finds there. Skipped without one or the other,
 * unless they are required.
 */
public final class HeaderLayout {

    private final String header;
    private final String debian;
    private final Map<String, Integer> ours = new LinkedHashMap<>();

    /**
     * About one header.
     *
     * @param header as it is included
     * @param debian the package that has it
     */
    public HeaderLayout(String header, String debian) {
        this.header = header;
        this.debian = debian;
    }

    /** Where a field lies; the type is written out. */
    public void field(String type, String field, int offset) {
        ours.put("offsetof(" + type + ", " + field + ")", offset);
    }

    /** How long a type is. */
    public void size(String type, int bytes) {
        ours.put("sizeof(" + type + ")", bytes);
    }

    /** What a name or an expression stands for. */
    public void number(String expression, int value) {
        ours.put(expression, value);
    }

    /** Compares everything; the folder is for the program that does. */
    public void check(Path folder) throws IOException, InterruptedException {
        if (!Files.exists(Path.of("/usr/include", header))) {
            skip(header + " is not installed (Debian: " + debian + ")");
        }
        assertThat(String.join("\n", expressionsWithTheirValues(folder)))
                .isEqualTo(ours.entrySet().stream()
                        .map(each -> each.getKey() + " = " + each.getValue())
                        .collect(Collectors.joining("\n")));
    }

    private List<String> expressionsWithTheirValues(Path folder) throws IOException, InterruptedException {
        Path source = folder.resolve("layout.c");
        Path program = folder.resolve("layout");
        String prints = ours.keySet().stream()
                .map(expression -> "printf(\"" + expression + " = %d\\n\", (int) (" + expression + "));\n")
                .collect(Collectors.joining());
        Files.writeString(
                source,
                "#include <stddef.h>\n#include <stdio.h>\n#include <" + header + ">\nint main(void) {\n" + prints
                        + "return 0; }\n");
        String compiler = System.getenv().getOrDefault("CC", "gcc");
        String said;
        try {
            said = run(compiler, "-o", program.toString(), source.toString());
        } catch (IOException e) {
            skip("there is no C compiler (" + e.getMessage() + ")");
            return List.of();
        }
        assertThat(said).isEmpty();
        return run(program.toString()).lines().toList();
    }

    private static void skip(String reason) {
        if (System.getProperty("weir.fabric", "").equals("required")) {
            fail(reason);
        }
        abort(reason);
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
