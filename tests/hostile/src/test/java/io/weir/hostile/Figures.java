package io.weir.hostile;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Words of the form {@code name=value}, as the programs print them; only {@code failure} may have blanks, and is the
 * last one.
 */
record Figures(String line, Map<String, Long> numbers, String failure) {

    static Figures parse(String line) {
        int end = line.indexOf("failure=");
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (String word : line.substring(0, end).strip().split(" ")) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                numbers.put(word.substring(0, equals), Long.valueOf(word.substring(equals + 1)));
            }
        }
        return new Figures(line, numbers, line.substring(end + "failure=".length()));
    }

    long get(String name) {
        return numbers.get(name);
    }
}
