package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {

    @ParameterizedTest
    @CsvSource({
        "'','',0",
        "shm,shm,0",
        "'',abc,3",
        "abc,'',3",
        "kitten,sitting,3",
        "tpc,tcp,1",
        "odrer,order,1",
        "flaw,lawn,2"
    })
    void distanceCountsChangedLetters(String from, String to, int distance) {
        assertThat(Nearest.distance(from, to)).isEqualTo(distance);
        assertThat(Nearest.distance(to, from)).isEqualTo(distance);
    }

    @Test
    void offersTheNearestAndNothingFarAway() {
        List<String> names = List.of("address", "transport", "verbs");
        assertThat(Nearest.to("adress", names)).isEqualTo("address");
        assertThat(Nearest.to("verb", names)).isEqualTo("verbs");
        assertThat(Nearest.to("entirely", names)).isNull();
        assertThat(Nearest.to("", names)).isNull();
    }
}
