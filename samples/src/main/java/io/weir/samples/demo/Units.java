package io.weir.samples.demo;

import java.time.Duration;
import java.util.Locale;

/** Figures for people. */
final class Units {

    private Units() {}

    /** {@code 128.7 MB}, of a million bytes each. */
    static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }

    /** {@code 0.61 s} */
    static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.2f s", time.toNanos() / 1e9);
    }

    /** {@code 211 MB/s} */
    static String rate(long bytes, Duration time) {
        return String.format(Locale.ROOT, "%.0f MB/s", bytes * 1e3 / Math.max(1, time.toNanos()));
    }
}
