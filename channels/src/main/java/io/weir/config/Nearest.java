package io.weir.config;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Finds what somebody who mistyped a name may have meant. */
final class Nearest {

    private Nearest() {}

    /**
     * The candidate that the fewest changed letters turn the text into, if these are at most a third of it; else null.
     */
    static @Nullable String to(String text, Collection<String> candidates) {
        String nearest = null;
        int least = Math.max(1, text.length() / 3) + 1;
        for (String candidate : candidates) {
            boolean far = Math.abs(text.length() - candidate.length()) >= least;
            int distance = far ? least : distance(text, candidate);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /**
     * Levenshtein's distance, letters inserted, removed or replaced, with two neighbours that changed places counted as
     * one.
     */
    static int distance(String from, String to) {
        int[][] cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, from, to, i, j);
            }
        }
        return cost[from.length()][to.length()];
    }

    private static int cheapest(int[][] cost, String from, String to, int i, int j) {
        boolean same = from.charAt(i - 1) == to.charAt(j - 1);
        int least = Math.min(cost[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        boolean swapped =
                i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1);
        return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
    }
}
