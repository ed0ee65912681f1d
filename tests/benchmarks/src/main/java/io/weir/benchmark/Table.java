package io.weir.benchmark;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Rows and columns for a terminal, which Markdown takes for a table too. */
final class Table {

    private final List<List<String>> rows = new ArrayList<>();

    Table(String... head) {
        row(head);
    }

    void row(String... cells) {
        rows.add(List.of(cells));
    }

    void row(List<String> cells) {
        rows.add(List.copyOf(cells));
    }

    boolean isEmpty() {
        return rows.size() == 1;
    }

    void print(PrintStream out) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (int i = 0; i < rows.size(); i++) {
            print(out, rows.get(i), widths);
            if (i == 0) {
                print(out, rule(widths), widths);
            }
        }
    }

    private static List<String> rule(int[] widths) {
        List<String> dashes = new ArrayList<>();
        for (int width : widths) {
            dashes.add("-".repeat(width));
        }
        return dashes;
    }

    private static void print(PrintStream out, List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder("|");
        for (int i = 0; i < widths.length; i++) {
            String cell = row.get(i);
            line.append(' ')
                    .append(cell)
                    .append(" ".repeat(widths[i] - cell.length()))
                    .append(" |");
        }
        out.println(line);
    }
}
