package io.weir.channel;

import java.time.Duration;

/** Values as one writes them in a setting. */
final class SettingText {

    private SettingText() {}

    /** {@code 500ms}, {@code 5s}, {@code 2m}: the largest unit that loses nothing. */
    static String of(Duration time) {
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

    /** {@code 65536}, {@code 64k}, {@code 8m}, {@code 1g}: the largest power of 1024 that loses nothing. */
    static String ofSize(long bytes) {
        if (bytes == 0 || (bytes & 0x3ff) != 0) {
            return Long.toString(bytes);
        }
        if ((bytes & 0xf_ffff) != 0) {
            return (bytes >> 10) + "k";
        }
        return (bytes & 0x3fff_ffff) != 0 ? (bytes >> 20) + "m" : (bytes >> 30) + "g";
    }
}
