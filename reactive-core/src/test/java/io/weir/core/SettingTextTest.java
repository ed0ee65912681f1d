package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTextTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "65536, 65536",
        "' 64k ', 65536",
        "64K, 65536",
        "64 k, 65536",
        "64kb, 65536",
        "64 KiB, 65536",
        "8m, 8388608",
        "1g, 1073741824",
        "1t, 1099511627776",
        "17b, 17"
    })
    void readsSizes(String text, long bytes) {
        assertThat(SettingText.size(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "-1", "k", "1.5m", "4 MB x", "9999999999g", "99999999999999999999", "0x10", "many", "٣"
            })
    void refusesWhatIsNoSize(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SettingText.size(text))
                .withMessage("a size: write bytes, or 64k, 8m, 1g (powers of 1024)");
    }

    @ParameterizedTest
    @CsvSource({"500ms, PT0.5S", "5s, PT5S", "5S, PT5S", "' 5 s ', PT5S", "2m, PT2M", "1h, PT1H", "0s, PT0S"})
    void readsTimes(String text, Duration time) {
        assertThat(SettingText.time(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "-5s", "1.5s", "5sec", "PT5S", "s", "9999999999s"})
    void refusesWhatIsNoTime(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SettingText.time(text))
                .withMessage("a time: write 500ms, 5s, 2m or 1h");
    }

    @ParameterizedTest
    @CsvSource({"on, true", "TRUE, true", "off, false", "false, false", "' Off ', false"})
    void readsSwitchesAlsoAsYamlWritesThem(String text, boolean on) {
        assertThat(SettingText.flag(text)).isEqualTo(on);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yes", "1"})
    void refusesWhatIsNoSwitch(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SettingText.flag(text))
                .withMessage("a switch: write on or off");
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 0s", "PT0.5S, 500ms", "PT1.5S, 1500ms", "PT5S, 5s", "PT90S, 90s", "PT2M, 2m", "PT1H, 1h"})
    void printsTimesAsTheyAreWritten(Duration time, String text) {
        assertThat(SettingText.of(time)).isEqualTo(text);
        assertThat(SettingText.time(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1000, 1000", "1024, 1k", "65537, 65537", "4194304, 4m", "1610612736, 1536m", "2147483648, 2g"})
    void printsSizesAsTheyAreWritten(long bytes, String text) {
        assertThat(SettingText.ofSize(bytes)).isEqualTo(text);
        assertThat(SettingText.size(text)).isEqualTo(bytes);
    }
}
