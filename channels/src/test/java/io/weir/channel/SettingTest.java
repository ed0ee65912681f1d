package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import io.weir.core.Waiting;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTest {

    private static Setting of(String text) {
        return new Setting("weir.x", text);
    }

    private static void assertRefused(String text, Function<Setting, Object> read, String message) {
        assertThatThrownBy(() -> read.apply(of(text)))
                .isInstanceOf(Misconfigured.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "65536, 65536",
        "64k, 65536",
        "64K, 65536",
        "64kb, 65536",
        "64KiB, 65536",
        "8m, 8388608",
        "1g, 1073741824",
        "1t, 1099511627776",
        "17b, 17"
    })
    void readsSizes(String text, long bytes) {
        assertThat(of(text).size()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "k", "1.5m", "4 MB x", "9999999999g", "99999999999999999999", "0x10", "٣"})
    void refusesWhatIsNoSize(String text) {
        assertRefused(
                text, Setting::size, "weir.x=" + text + " is not a size: write bytes, or 64k, 8m, 1g (powers of 1024)");
    }

    @Test
    void refusesASizeThatNoArrayHolds() {
        assertRefused("2g", Setting::smallSize, "weir.x=2g is not a size up to 2147483647 bytes");
        assertThat(of("2047m").smallSize()).isEqualTo(2047 << 20);
    }

    @ParameterizedTest
    @CsvSource({"500ms, PT0.5S", "5s, PT5S", "5S, PT5S", "2m, PT2M", "1h, PT1H", "0s, PT0S"})
    void readsTimes(String text, Duration time) {
        assertThat(of(text).time()).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "-5s", "5 s", "1.5s", "5sec", "PT5S", "s", "9999999999s"})
    void refusesWhatIsNoTime(String text) {
        assertRefused(text, Setting::time, "weir.x=" + text + " is not a time: write 500ms, 5s, 2m or 1h");
    }

    @Test
    void readsNumbers() {
        assertThat(of(" 7 ").number()).isEqualTo(7);
        assertThat(of("8589934592").count()).isEqualTo(1L << 33);
        assertRefused("8589934592", Setting::number, "weir.x=8589934592 is not a number up to 2147483647");
        assertRefused("-1", Setting::number, "weir.x=-1 is not a whole number, such as 1024");
        assertRefused("many", Setting::count, "weir.x=many is not a whole number, such as 1024");
    }

    @Test
    void readsSwitchesAlsoAsYamlWritesThem() {
        assertThat(of("on").flag()).isTrue();
        assertThat(of("TRUE").flag()).isTrue();
        assertThat(of("off").flag()).isFalse();
        assertThat(of("false").flag()).isFalse();
        assertThat(of("true").pathSwitch()).isEqualTo(PathSwitch.ON);
        assertThat(of("Off").pathSwitch()).isEqualTo(PathSwitch.OFF);
        assertThat(of("required").pathSwitch()).isEqualTo(PathSwitch.REQUIRED);
        assertRefused("yes", Setting::flag, "weir.x=yes is not a switch: write on or off");
        assertRefused(
                "force", Setting::pathSwitch, "weir.x=force is not a switch of a path: write on, off or required");
    }

    @Test
    void readsWords() {
        assertThat(of("Frugal").oneOf(Waiting.class)).isEqualTo(Waiting.FRUGAL);
        assertRefused("eager", set -> set.oneOf(Waiting.class), "weir.x=eager is not one of latency, balanced, frugal");
    }

    @Test
    void readsLists() {
        assertThat(of("a, b ,c").list(Function.identity())).containsExactly("a", "b", "c");
        assertRefused(
                "a,,b",
                set -> set.list(Function.identity()),
                "weir.x=a,,b is not a list: between two commas nothing is named");
        assertRefused("a,b,a", set -> set.list(Function.identity()), "weir.x names a twice");
    }

    @Test
    void refusesAnEmptyValue() {
        assertThatThrownBy(() -> of("  "))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.x has no value; give it one or remove it");
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 0s", "PT0.5S, 500ms", "PT1.5S, 1500ms", "PT5S, 5s", "PT90S, 90s", "PT2M, 2m", "PT1H, 1h"})
    void printsTimesAsTheyAreWritten(Duration time, String text) {
        assertThat(SettingText.of(time)).isEqualTo(text);
        assertThat(of(text).time()).isEqualTo(time);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1000, 1000", "1024, 1k", "65537, 65537", "4194304, 4m", "1610612736, 1536m", "2147483648, 2g"})
    void printsSizesAsTheyAreWritten(long bytes, String text) {
        assertThat(SettingText.ofSize(bytes)).isEqualTo(text);
        assertThat(of(text).size()).isEqualTo(bytes);
    }
}
