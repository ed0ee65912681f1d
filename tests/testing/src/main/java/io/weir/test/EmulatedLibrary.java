package io.weir.test;

import java.nio.file.Path;
import java.util.Map;

/**
 * Libraries of interconnects that are not to be had any more, written anew: they export the same functions, keep the same rules, end a program that breaks them, and join
 * processes of one host. In C, compiled where they are needed.
 */
public enum EmulatedLibrary {
    /** Myrinet's GM. What its environment can say stands at the beginning of its source. */
    GM("gm.c", "WEIR_TRANSPORT_GM_LIBRARY", "GMEMU_DIR");

    private final String source;
    private final String setting;
    private final String place;

    EmulatedLibrary(String source, String setting, String place) {
        this.source = source;
        this.setting = setting;
        this.place = place;
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
     * What the environment of processes has to say that are to use it.
     *
     * @param library which was compiled
     * @param folder all processes that share it can reach each other
     */
    public Map<String, String> settings(Path library, Path folder) {
        return Map.of(
                setting, library.toString(), place, folder.resolve("ports").toString());
    }
}
