package io.weir.core;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes, times and switches as people write them: the one grammar of settings, of transports' options and of
 * annotations. Case and blanks around or before the unit do not matter. A text that can't be read fails with an
 * {@link IllegalArgumentException} whose message completes "... is not": what was expected, and what one writes.
 */
public final class SettingText {

    private static final Pattern SIZE = Pattern.compile("(\\d{1,18}) *([kmgt]?)(?:i?b)?");
    private static final Pattern TIME = Pattern.compile("(\\d{1,9}) *(ms|s|m|h)");

    private SettingText() {}

    private static Matcher match(Pattern form, String text, String wanted) {
        Matcher matcher = form.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException(wanted);
        }
        return matcher;
    }

    /**
     * Bytes: {@code 65536}, {@code 64k}, {@code 8m}, {@code 1g}, {@code 1t}, in powers of 1024; {@code KiB} and
     * {@code kb} are {@code k}.
     */
    public static long size(String text) {
        String wanted = "a size: write bytes, or 64k, 8m, 1g (powers of 1024)";
        Matcher matcher = match(SIZE, text, wanted);
        String unit = matcher.group(2);
        int shift = unit.isEmpty() ? 0 : 10 * ("kmgt".indexOf(unit) + 1);
        long number = Long.parseLong(matcher.group(1));
        if (number > (Long.MAX_VALUE >> shift)) {
            throw new IllegalArgumentException(wanted);
        }
        return number << shift;
    }

    /** {@code 500ms}, {@code 5s}, {@code 2m} or {@code 1h}; never without a unit. */
    public static Duration time(String text) {
        Matcher matcher = match(TIME, text, "a time: write 500ms, 5s, 2m or 1h");
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }

    /** {@code on} or {@code off}; also {@code true} and {@code false}, which is what YAML makes of them. */
    public static boolean flag(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "on", "true" -> true;
            case "off", "false" -> false;
            default -> throw new IllegalArgumentException("a switch: write on or off");
        };
    }

    /** How a constant is written: in small letters, with dashes. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The time with the largest unit that loses nothing. */
    public static String of(Duration time) {
        long nanos = time.toNanosPart();
        long seconds = time.toSeconds();
        if (nanos % 1_000_000 != 0) {
            return time.toString();
        }
        if (nanos != 0) {
            return time.toMillis() + "ms";
        }
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        return seconds % 3600 == 0 ? seconds / 3600 + "h" : seconds / 60 + "m";
    }

    /** The size with the largest power of 1024 that loses nothing, up to {@code g}. */
    public static String ofSize(long bytes) {
        if (bytes == 0 || (bytes & 0x3ff) != 0) {
            return Long.toString(bytes);
        }
        if ((bytes & 0xf_ffff) != 0) {
            return (bytes >> 10) + "k";
        }
        return (bytes & 0x3fff_ffff) != 0 ? (bytes >> 20) + "m" : (bytes >> 30) + "g";
    }
}
