package io.weir.channel;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Finds what somebody who mistyped a name may have meant. */
final class Nearest {

    private Nearest() {}

    /** The candidate that the fewest changed letters turn the text into, if these are at most a third of it; else null. */
    static @Nullable String to(String text, Collection<String> candidates) {
        String nearest = null;
        int least = Math.max(1, text.length() / 3) + 1;
        for (String candidate : candidates) {
            int distance = distance(text, candidate);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** Levenshtein's distance: letters inserted, removed or replaced. */
    static int distance(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int j = 0; j < above.length; j++) {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] row = new int[above.length];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[to.length()];
    }
}
