package io.weir.service.remote;

import io.weir.core.SettingText;
import java.time.Duration;

/** Times that annotations name. */
final class TimeText {

    private TimeText() {}

    /** @throws IllegalArgumentException if it is no such time */
    static Duration parse(String text) {
        Duration time;
        try {
            time = SettingText.time(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "' is not " + e.getMessage(), e);
        }
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
