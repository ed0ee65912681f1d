package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class WeirTest extends WeirCommand {

    @Test
    void versionComesFromTheBuild() {
        assertThat(weir("--version")).isZero();
        assertThat(out.toString()).containsPattern("Weir \\d+\\.\\d+\\.\\d+").contains("Java " + Runtime.version());
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void withoutSubcommandTheUsageIsShown() {
        assertThat(weir()).isEqualTo(2);
        assertThat(err.toString()).startsWith("Name a subcommand.").contains("Usage: weir");
        assertThat(out.toString()).isEmpty();
    }

    /** What they are made of takes longer to load than most commands to run. */
    @Test
    void onlyWhoMayNameASampleLoadsThem() {
        assertThat(samplesOf("info", "--json")).isZero();
        assertThat(samplesOf()).isZero();
        assertThat(samplesOf("sample", "calls")).isPositive();
        assertThat(samplesOf("@arguments")).isPositive();
    }

    private static int samplesOf(String... arguments) {
        return Objects.requireNonNull(
                        Weir.commandLine(arguments).getSubcommands().get("sample"))
                .getSubcommands()
                .size();
    }

    @Test
    void aProgramThatIsNotThereIsNamed() {
        assertThat(weir("rmi", "--class-path", "no-such-folder", "NoSuchMain", "--report"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("NoSuchMain can't be run from no-such-folder");
    }
}
