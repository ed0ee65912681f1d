package io.weir.benchmark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The C program that shows what this machine can do: compiled here and for here. */
final class LimitProgram {

    private static final String SOURCE = "limit.c";

    private LimitProgram() {}

    /**
     * @param folder where the program is put
     * @throws IllegalStateException if it cannot be compiled
     */
    static Path compiledIn(Path folder) throws InterruptedException {
        Path source = folder.resolve(SOURCE);
        Path program = folder.resolve("limit");
        try (InputStream text = LimitProgram.class.getResourceAsStream(SOURCE)) {
            if (text == null) {
                throw new IllegalStateException(SOURCE + " is not on the class path.");
            }
            Files.copy(text, source);
            compile(List.of(
                    compiler(), "-std=gnu11", "-O3", "-march=native", "-o", program.toString(), source.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException("The program for the limit cannot be put into " + folder, e);
        }
        return program;
    }

    /** The first line with which the compiler introduces itself. */
    static String compilerVersion() throws InterruptedException {
        return run(List.of(compiler(), "--version")).lines().findFirst().orElse("unknown");
    }

    private static String compiler() {
        return System.getenv().getOrDefault("CC", "gcc");
    }

    private static void compile(List<String> command) throws InterruptedException {
        String unused = run(command);
    }

    private static String run(List<String> command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + " failed:\n" + said);
            }
            return said;
        } catch (IOException e) {
            throw new IllegalStateException(
                    "The limit of this machine is measured by a C program, and there is no compiler \"" + command.get(0)
                            + "\". Install gcc or name another in CC.",
                    e);
        }
    }
}
