package io.weir.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A program in C that is a resource: compiled where it is needed and for that machine, by gcc or by what {@code CC}
 * names, with the sources beside it that it includes.
 */
public final class CProgram {

    private static final Pattern INCLUDE = Pattern.compile("#include \"(.+)\"");

    private CProgram() {}

    /**
     * Compiles one, with everything that makes it fast on this processor.
     *
     * @param beside a class of the package that has the source as a resource
     * @param source for example {@code limit.c}
     * @param folder where the source and the program are put
     * @return the program
     * @throws IllegalStateException if it can't be compiled
     */
    public static Path compiled(Class<?> beside, String source, Path folder) throws InterruptedException {
        return compiled(beside, source, folder, bare(source), List.of("-O3", "-march=native"));
    }

    /**
     * Compiles one that is to be as it is written, to be tested or to test something.
     *
     * @param beside a class of the package that has the source as a resource
     * @param source for example {@code gm_check.c}
     * @param folder where the source and the program are put
     * @param options more of the compiler's, and libraries
     * @return the program
     * @throws IllegalStateException if it can't be compiled
     */
    public static Path program(Class<?> beside, String source, Path folder, String... options)
            throws InterruptedException {
        List<String> all = new ArrayList<>(List.of("-O2", "-g", "-pthread"));
        all.addAll(List.of(options));
        return compiled(beside, source, folder, bare(source), all);
    }

    /**
     * Compiles a shared library.
     *
     * @param beside a class of the package that has the source as a resource
     * @param source for example {@code gm.c}, which becomes {@code libgm.so}
     * @param folder where the source and the library are put
     * @param options more of the compiler's
     * @return the library
     * @throws IllegalStateException if it can't be compiled
     */
    public static Path library(Class<?> beside, String source, Path folder, String... options)
            throws InterruptedException {
        List<String> all = new ArrayList<>(List.of("-O2", "-g", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread"));
        all.addAll(List.of(options));
        return compiled(beside, source, folder, "lib" + bare(source) + ".so", all);
    }

    private static String bare(String source) {
        return source.substring(0, source.length() - ".c".length());
    }

    private static Path compiled(Class<?> beside, String source, Path folder, String name, List<String> options)
            throws InterruptedException {
        Path text = put(beside, source, folder);
        Path result = folder.resolve(name);
        List<String> command = new ArrayList<>(List.of(compiler(), "-std=gnu11"));
        command.addAll(List.of("-o", result.toString(), text.toString()));
        // Behind the source: a linker may take from a library only what was wanted before.
        command.addAll(options);
        var unused = run(command);
        return result;
    }

    /** Puts it where it is compiled, with the sources beside it that it includes. */
    private static Path put(Class<?> beside, String source, Path folder) {
        Path text = folder.resolve(source);
        try (InputStream resource = beside.getResourceAsStream(source)) {
            if (resource == null) {
                throw new IllegalStateException(source + " is not on the class path.");
            }
            byte[] bytes = resource.readAllBytes();
            Files.write(text, bytes);
            new String(bytes, StandardCharsets.UTF_8)
                    .lines()
                    .map(INCLUDE::matcher)
                    .filter(Matcher::matches)
                    .forEach(line -> {
                        var unused = put(beside, line.group(1), folder);
                    });
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(source + " cannot be put into " + folder, e);
        }
    }

    /** Why nothing can be compiled; empty if it can. */
    public static Optional<String> missing() throws InterruptedException {
        try {
            var unused = compilerVersion();
            return Optional.empty();
        } catch (IllegalStateException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Why nothing can be compiled with these options, which not every compiler has what it takes for; empty if it can.
     *
     * @param folder for what is compiled to find out
     */
    public static Optional<String> missing(Path folder, List<String> options) throws InterruptedException {
        Path source = folder.resolve("empty.c");
        List<String> command = new ArrayList<>(List.of(compiler()));
        command.addAll(options);
        command.addAll(List.of("-o", folder.resolve("empty").toString(), source.toString()));
        try {
            Files.writeString(source, "int main(void) { return 0; }\n");
            var unused = run(command);
            return Optional.empty();
        } catch (IllegalStateException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new UncheckedIOException(source + " cannot be written", e);
        }
    }

    /**
     * The first line with which the compiler introduces itself.
     *
     * @throws IllegalStateException if there is none
     */
    public static String compilerVersion() throws InterruptedException {
        return run(List.of(compiler(), "--version")).lines().findFirst().orElse("unknown");
    }

    private static String compiler() {
        return System.getenv().getOrDefault("CC", "gcc");
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
                    "A program in C is needed, and there is no compiler \"" + command.get(0)
                            + "\". Install gcc or name another in CC.",
                    e);
        }
    }
}
