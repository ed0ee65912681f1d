package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers as one reads them. */
final class Figures {

    private Figures() {}

    /** Three digits that count; a dash for what was not measured. */
    static String ratio(@Nullable Double value) {
        if (value == null || value.isNaN() || value.isInfinite()) {
            return "-";
        }
        if (value == 0) {
            return "0";
        }
        double size = Math.abs(value);
        return String.format(
                Locale.ROOT, size >= 99.95 ? "%.0f" : size >= 9.995 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f", value);
    }

    static String micros(double nanos) {
        return ratio(nanos / 1000) + " us";
    }

    static String millis(double nanos) {
        return ratio(nanos / 1e6) + " ms";
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    static double lowest(double[] values) {
        return Arrays.stream(values).min().orElseThrow();
    }

    static double highest(double[] values) {
        return Arrays.stream(values).max().orElseThrow();
    }

    /** The value of a cell: microseconds of a round trip; messages in a second, and bytes where they are many. */
    static String value(Cell cell, @Nullable Double value) {
        if (value == null) {
            return "-";
        }
        if (cell.scenario().timesRoundTrips()) {
            return micros(value);
        }
        return cell.size() >= 64 << 10 ? ratio(value * cell.size() / 1e9) + " GB/s" : perSecond(value);
    }

    private static String perSecond(double rate) {
        return rate >= 1e6 ? ratio(rate / 1e6) + " M/s" : ratio(rate / 1e3) + " k/s";
    }

    static String percent(double cores) {
        return ratio(cores * 100) + " %";
    }

    static String mebibytes(double bytes) {
        return ratio(bytes / (1 << 20)) + " MiB";
    }
}
