package io.weir.samples;

import io.weir.samples.InfoReport.PathInfo;
import java.io.PrintWriter;
import java.util.List;

/** Prints an {@link InfoReport} for people. */
final class InfoText {

    private InfoText() {}

    static void print(InfoReport report, PrintWriter out) {
        int widest =
                report.host().keySet().stream().mapToInt(String::length).max().orElse(0);
        report.host().forEach((fact, value) -> out.println(padded(fact, widest) + "  " + value));
        out.println(padded("settings", widest) + "  " + report.settings());
        out.println();
        out.println(
                report.measured()
                        ? "The paths, of which those with a number are measured, and the fastest one is used:"
                        : "The paths, in the order in which they are tried:");
        paths(report.paths(), out);
        for (PathInfo path : report.paths()) {
            path.options().forEach(option -> out.println("  weir.transport." + path.path() + '.' + option));
        }
        out.flush();
    }

    private static void paths(List<PathInfo> paths, PrintWriter out) {
        int widest = paths.stream().mapToInt(path -> path.path().length()).max().orElse(0);
        for (PathInfo path : paths) {
            Integer place = path.place();
            out.println(("  " + padded(place == null ? "-" : place + ".", 4) + padded(path.path(), widest) + "  "
                            + padded(path.verdict().toString(), 10) + "  " + path.details())
                    .stripTrailing());
        }
        if (paths.stream().anyMatch(path -> !path.options().isEmpty())) {
            out.println();
            out.println("Their options:");
        }
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
