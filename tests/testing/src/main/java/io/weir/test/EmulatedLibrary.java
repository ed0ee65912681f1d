package io.weir.test;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * Libraries of interconnects that are not to be had any more, written anew: they export the same functions, keep the
 * same rules, end a program that breaks them, and join processes of one host. In C, compiled where they are needed.
 */
public enum EmulatedLibrary {
    /** Myrinet's GM. What its environment can say stands at the beginning of its source. */
    GM("gm.c") {
        @Override
        public Map<String, String> settings(Path library, Path folder) {
            return Map.of(
                    "WEIR_TRANSPORT_GM_LIBRARY",
                    library.toString(),
                    "GMEMU_DIR",
                    folder.resolve("ports").toString());
        }
    },
    /** Quadrics' libelan. What its environment can say stands at the beginning of its source. */
    ELAN("elan.c") {
        @Override
        public Map<String, String> settings(Path library, Path folder) {
            return EmulatedJob.begin(library, folder);
        }
    };

    private final String source;

    EmulatedLibrary(String source) {
        this.source = source;
    }

    /** The name of the path that uses it. */
    public String path() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Compiles it.
     *
     * @param folder where the source and the library are put
     * @param options more of the compiler's
     * @return the library
     * @throws IllegalStateException if it can't be compiled
     */
    public Path compiled(Path folder, String... options) throws InterruptedException {
        return CProgram.library(EmulatedLibrary.class, source, folder, options);
    }

    /**
     * What the environment of a process has to say that is to use it. Processes that it starts have that from it, and
     * what {@link EmulatedJob#placeOfChild} says.
     *
     * @param library which was compiled
     * @param folder all processes that share it can reach each other
     */
    public abstract Map<String, String> settings(Path library, Path folder);
}
