package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransportSettingsTest {

    @ParameterizedTest
    @CsvSource({"0,0", "17,17", "64k,65536", "64K,65536", "' 8m ',8388608", "1g,1073741824", "2147483647,2147483647"})
    void readsSizes(String text, int bytes) {
        assertThat(settings("ring", text).size("ring", 1, 0, Integer.MAX_VALUE)).isEqualTo(bytes);
    }

    @Test
    void refusesWhatCannotBeRead() {
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> settings("ring", "many").size("ring", 1, 0, Integer.MAX_VALUE))
                .withMessage("ring=many is not a size: write bytes, or 64k, 8m, 1g (powers of 1024)");
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> settings("no-delay", "yes").flag("no-delay", true))
                .withMessage("no-delay=yes is not a switch: write on or off");
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> settings("pause", "5").time("pause", Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .withMessage("pause=5 is not a time: write 500ms, 5s, 2m or 1h");
    }

    @Test
    void refusesATimeOutOfBounds() {
        Duration least = Duration.ofMillis(1);
        Duration most = Duration.ofMinutes(2);
        assertThat(settings("pause", "2m").time("pause", least, least, most)).isEqualTo(most);
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> settings("pause", "1h").time("pause", least, least, most))
                .withMessage("pause=1h is out of range: from 1ms to 2m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"4095", "1048577", "2g", "4g", "9t"})
    void refusesASizeOutOfBounds(String text) {
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> settings("ring", text).size("ring", 1, 4096, 1 << 20))
                .withMessage("ring=" + text + " is out of range: from 4096 to 1048576 bytes");
    }

    @Test
    void bothBoundsBelongToTheRange() {
        assertThat(settings("ring", "4k").size("ring", 1, 4096, 8192)).isEqualTo(4096);
        assertThat(settings("ring", "8k").size("ring", 1, 4096, 8192)).isEqualTo(8192);
    }

    @ParameterizedTest
    @CsvSource({"on,true", "true,true", "off,false", "false,false", "' on ',true"})
    void readsSwitches(String text, boolean value) {
        assertThat(settings("no-delay", text).flag("no-delay", !value)).isEqualTo(value);
    }

    @Test
    void whatIsNotSetHasItsDefaultEvenOutOfBounds() {
        TransportSettings none = settings("other", "1");

        assertThat(none.size("ring", 5, 10, 20)).isEqualTo(5);
        assertThat(none.flag("no-delay", true)).isTrue();
        assertThat(none.flag("no-delay", false)).isFalse();
    }

    @Test
    void keepsItsOwnCopyOfTheOptions() {
        Map<String, String> options = new HashMap<>(Map.of("ring", "1"));
        TransportSettings settings = new TransportSettings(Path.of("weir"), true, options);
        options.put("ring", "2");

        assertThat(settings.size("ring", 0, 0, 9)).isEqualTo(1);
    }

    private static TransportSettings settings(String option, String value) {
        return new TransportSettings(Path.of("weir"), true, Map.of(option, value));
    }
}
