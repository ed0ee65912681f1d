package io.weir.samples.demo;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.IntConsumer;

/**
 * Shows how far a stream has come: as a bar that grows, on a terminal, or as a line for each quarter. One thread at a
 * time.
 */
final class Progress {

    private static final int WIDTH = 40;

    private final PrintWriter out;
    private final boolean terminal;
    private final long total;
    private final IntConsumer atQuarter;
    private final long begun = System.nanoTime();
    private int quarters;
    private long done;
    private int shown;

    /**
     * For so many bytes.
     *
     * @param atQuarter gets 25, 50, 75 and 100 when so many percent of them have gone
     */
    Progress(PrintWriter out, boolean terminal, long total, IntConsumer atQuarter) {
        this.atQuarter = atQuarter;
        this.out = out;
        this.terminal = terminal;
        this.total = total;
    }

    /** This many bytes more. */
    void add(int bytes) {
        done += bytes;
        int percent = (int) Math.min(100, done * 100 / total);
        int step = terminal ? 1 : 25;
        if (percent / step > shown / step) {
            shown = percent;
            show(percent);
        }
        while (25 * (quarters + 1) <= percent) {
            quarters++;
            atQuarter.accept(25 * quarters);
        }
    }

    private void show(int percent) {
        String figures = String.format(
                Locale.ROOT, "%3d %%  %s  %.1f s", percent, Units.megabytes(done), (System.nanoTime() - begun) / 1e9);
        if (terminal) {
            int full = percent * WIDTH / 100;
            out.print("\r  [" + "#".repeat(full) + ".".repeat(WIDTH - full) + "] " + figures);
        } else {
            out.println("  " + figures);
        }
        out.flush();
    }

    /** What follows begins on a line of its own. */
    void end() {
        if (terminal && shown > 0) {
            out.println();
        }
    }
}
