package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import io.weir.core.Waiting;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SettingTest {

    private static Setting of(String text) {
        return new Setting("weir.x", text);
    }

    private static void assertRefused(String text, Function<Setting, Object> read, String message) {
        assertThatThrownBy(() -> read.apply(of(text)))
                .isInstanceOf(Misconfigured.class)
                .hasMessage(message);
    }

    @Test
    void readsSizesTimesAndSwitches() {
        assertThat(of(" 64 KiB ").size()).isEqualTo(65536);
        assertThat(of("2m").time()).isEqualTo(Duration.ofMinutes(2));
        assertThat(of("Off").flag()).isFalse();
        assertRefused("k", Setting::size, "weir.x=k is not a size: write bytes, or 64k, 8m, 1g (powers of 1024)");
        assertRefused("5", Setting::time, "weir.x=5 is not a time: write 500ms, 5s, 2m or 1h");
        assertRefused("yes", Setting::flag, "weir.x=yes is not a switch: write on or off");
    }

    @Test
    void refusesASizeThatNoArrayHolds() {
        assertRefused("2g", Setting::smallSize, "weir.x=2g is not a size up to 2147483647 bytes");
        assertThat(of("2047m").smallSize()).isEqualTo(2047 << 20);
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
    void readsSwitchesOfPathsAlsoAsYamlWritesThem() {
        assertThat(of("true").pathSwitch()).isEqualTo(PathSwitch.ON);
        assertThat(of("Off").pathSwitch()).isEqualTo(PathSwitch.OFF);
        assertThat(of("required").pathSwitch()).isEqualTo(PathSwitch.REQUIRED);
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
}
