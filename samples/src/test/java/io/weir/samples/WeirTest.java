package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class WeirTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

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

    @Test
    void aProgramThatIsNotThereIsNamed() {
        assertThat(weir("rmi", "--class-path", "no-such-folder", "NoSuchMain", "--report"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("NoSuchMain can't be run from no-such-folder");
    }

    private int weir(String... arguments) {
        return Weir.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
