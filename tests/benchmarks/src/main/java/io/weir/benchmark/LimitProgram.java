package io.weir.benchmark;

import io.weir.test.CProgram;
import java.nio.file.Path;

/** The C program that shows what this machine can do: compiled here and for here. */
final class LimitProgram {

    private LimitProgram() {}

    /**
     * @param folder where the program is put
     * @throws IllegalStateException if it cannot be compiled
     */
    static Path compiledIn(Path folder) throws InterruptedException {
        return CProgram.compiled(LimitProgram.class, "limit.c", folder);
    }

    /** The first line with which the compiler introduces itself. */
    static String compilerVersion() throws InterruptedException {
        return CProgram.compilerVersion();
    }
}
