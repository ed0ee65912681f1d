package io.weir.channel;

import java.util.function.Supplier;

/** For who wants to see what an input does: {@code -Dweir.fuzz.trace=true}. */
public final class Trace {

    private static final boolean ON = Boolean.getBoolean("weir.fuzz.trace");

    private Trace() {}

    public static void line(Supplier<String> text) {
        if (ON) {
            System.err.println(text.get());
        }
    }
}
