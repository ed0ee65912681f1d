package io.weir.service;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times that annotations name. */
final class TimeText {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

    private TimeText() {}

    /** @throws IllegalArgumentException if it is no such time */
    static Duration parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no time: write a number and ms, s, m or h, for instance 2s");
        }
        long number = Long.parseLong(form.group(1));
        Duration time = switch (form.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
        check(time);
        return time;
    }

    /** What is left of it crosses the wire as milliseconds in an int. */
    static void check(Duration deadline) {
        if (deadline.compareTo(Duration.ofMillis(1)) < 0 || deadline.compareTo(Duration.ofDays(24)) > 0) {
            throw new IllegalArgumentException("a deadline of " + deadline + ": it is from 1 ms to 24 days");
        }
    }
}
