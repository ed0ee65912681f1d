package io.weir.simulator;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** The latest of what happened, for people to read. Writing it costs more than the rest, so it is only made for a replay. */
final class Trace {

    static final Trace NONE = new Trace(0);

    private final int kept;
    private final ArrayDeque<String> lines = new ArrayDeque<>();
    private long digest;

    private Trace(int kept) {
        this.kept = kept;
    }

    static Trace ofLast(int lines) {
        return new Trace(lines);
    }

    boolean wanted() {
        return kept > 0;
    }

    void add(long now, Supplier<String> what) {
        if (wanted()) {
            line(String.format(Locale.ROOT, "%14.6f ms  %s", now / 1e6, what.get()));
        }
    }

    void add(long now, Throwable error) {
        if (wanted()) {
            java.io.StringWriter text = new java.io.StringWriter();
            error.printStackTrace(new java.io.PrintWriter(text));
            // Not part of the digest: frames of generated classes have other names each time.
            keep(String.format(Locale.ROOT, "%14.6f ms  %s", now / 1e6, text));
        }
    }

    private void line(String line) {
        digest = digest * 31 + line.hashCode();
        keep(line);
    }

    private void keep(String line) {
        if (lines.size() == kept) {
            lines.remove();
        }
        lines.add(line);
    }

    /** The same for two traces that tell the same, from their beginning. */
    long digest() {
        return digest;
    }

    List<String> lines() {
        return List.copyOf(lines);
    }
}
