package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.test.CProgram;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The commands as a user gives them. */
@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
class EmulatedTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int weir(String... arguments) {
        return Weir.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    private static void assumeCompiler() throws InterruptedException {
        assumeTrue(CProgram.missing().isEmpty(), "the emulation is in C");
    }

    @Test
    void infoShowsBoardPortAndTokens() throws InterruptedException {
        assumeCompiler();
        assertThat(weir("emulated", "gm", "info")).as(err::toString).isZero();
        assertThat(out.toString())
                .containsPattern("gm +ready +board 0, port 2, node 1, 61 send tokens, 254 receive tokens");
    }

    @Test
    void theGatewayJoinsMyrinetWithTcp() throws InterruptedException {
        assumeCompiler();
        assertThat(weir("emulated", "gm", "sample", "gateway", "--path", "gm"))
                .as(() -> out + "\n" + err)
                .isZero();
        assertThat(out.toString())
                .containsPattern("gateway +joined +client-\\w+ over gm - server-\\w+ over tcp")
                .containsPattern("client +has read on: 1000 pieces; SHA-256 \\w{64}, as the server has it");
    }

    @Test
    void theExitCodeIsThatOfTheCommand() throws InterruptedException {
        assumeCompiler();
        assertThat(weir("emulated", "gm", "sample", "calls", "--path", "gn")).isEqualTo(2);
        assertThat(err.toString()).contains("did you mean gm?");
    }

    @Test
    void aLibraryThatIsNotThereIsRefused() {
        assertThat(weir("emulated", "mx", "info")).isEqualTo(2);
        assertThat(err.toString()).startsWith("'mx' is none of the emulated libraries: gm");
    }
}
