package io.weir.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Another checkout of Weir, whose entrants take turns with those of this one. It must have been built by its own
 * {@code tests/benchmarks/run}, and its measured programs must understand the same commands.
 *
 * @param name stands behind the entrants' labels
 * @param classPath of its measured programs
 */
record OtherVersion(String name, String classPath) {

    private static final Path TARGET = Path.of("tests", "benchmarks", "target");

    /**
     * Looks for what was built there.
     *
     * @throws IllegalArgumentException if nothing was, with the remedy
     */
    static OtherVersion in(Path checkout) throws IOException {
        Path classes = checkout.resolve(TARGET).resolve("classes").toAbsolutePath();
        Path libraries = checkout.resolve(TARGET).resolve("benchmarks.classpath");
        if (!Files.isDirectory(classes) || !Files.isRegularFile(libraries)) {
            throw new IllegalArgumentException("There is no built version of Weir in " + checkout
                    + ": run tests/benchmarks/run --quick there first.");
        }
        Path name = checkout.toAbsolutePath().normalize().getFileName();
        String path = classes + ":" + Files.readString(libraries).strip();
        return new OtherVersion(name == null ? "other" : name.toString(), path);
    }

    /** How an entrant of this version is called there. */
    String label(String entrant) {
        return entrant + '@' + name;
    }
}
