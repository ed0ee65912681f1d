package io.weir.simulator;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The latest of what happened, for people to read. Writing it costs more than the rest, so it is only made for a
 * replay.
 */
final class Trace {

    static final Trace NONE = new Trace(0);

    /** Of a stack; what lies below them is the simulation itself. */
    private static final int FRAMES = 16;

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

    /** With where it comes from, which is not part of the digest: that may be another line of a test each time. */
    void add(long now, Throwable error) {
        if (wanted()) {
            line(String.format(Locale.ROOT, "%14.6f ms  %s", now / 1e6, error));
            for (Throwable each = error; each != null; each = each.getCause()) {
                StackTraceElement[] frames = each.getStackTrace();
                for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
                    keep("                       at " + frames[i]);
                }
            }
        }
    }

    /** The first line only: tables of attempts tell real times. */
    private void line(String text) {
        String line = text.lines().findFirst().orElse("");
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
