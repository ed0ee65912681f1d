package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each sample as a user calls it, with its real processes. */
@Tag("one-jdk")
class SamplesTest extends WeirCommand {

    @ParameterizedTest
    @CsvSource({
        "calls,     shm, 'its exception is caught here by its type'",
        "calls,     tcp, 'who takes less has less made, through both streams'",
        "prices,    shm, 'the market makes at most 8 prices more than are taken'",
        "files,     shm, 'nothing outside of the folder is reached, nothing is left behind'",
        "files,     tcp, 'is the same, byte for byte'",
        "stages,    tcp, 'what fails in another process fails the pipeline'",
        "broadcast, shm, 'everybody has every reading'",
        "steering,  tcp, 'the simulation does not wait for the viewer'"
    })
    void showsWhatItIsFor(String name, String path, String point) {
        assertThat(weir("sample", name, "--path", path))
                .as(() -> out + "\n" + err)
                .isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString())
                .containsPattern("process \\d+, over " + path + "\\n")
                .containsPattern(" so +.*" + point);
    }

    @Test
    void withoutANameTheUsageIsShown() {
        assertThat(weir("sample")).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("Name a sample.")
                .contains("calls", "prices", "files", "stages", "broadcast", "steering");
    }

    @Test
    void anUnknownPathIsRefusedWithTheNearestOne() {
        assertThat(weir("sample", "prices", "--path", "myrinet")).isEqualTo(2);
        assertThat(err.toString()).contains("'myrinet'", "did you mean gm?", "Usage: weir sample prices");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aPathThatCanNotBeUsedIsExplained() {
        assertThat(weir("sample", "prices", "--path", "local")).isEqualTo(1);
        assertThat(out.toString()).containsPattern("local +rejected .*another process");
        assertThat(err.toString())
                .isEqualTo("weir sample prices: There is no local between the two processes: the peer runs in "
                        + "another process.\n");
    }
}
