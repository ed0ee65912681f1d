package io.weir.samples.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChildTest {

    private static final String NAME = "The second process";

    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @Test
    void endsByItselfWhenItsInputEnds() throws Exception {
        Process process;
        try (Child child = Child.start(NAME, OwnJava.command(Idle.class), Map.of(), line -> {})) {
            process = child.process();
            assertThat(process.isAlive()).isTrue();
            assertThat(child.address().port()).isPositive();
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void whatItSaysIsToldWhenItDoesNotStart() {
        assertThatThrownBy(() -> start(JAVA, "-XX:NoSuchOption"))
                .isInstanceOf(ProgramFailed.class)
                .hasMessageStartingWith("The second process ended before it was ready, with exit code 1; it said:")
                .hasMessageContaining("NoSuchOption");
    }

    @Test
    void silenceIsToldAsWell() {
        assertThatThrownBy(() -> start("true"))
                .isInstanceOf(ProgramFailed.class)
                .hasMessage("The second process ended before it was ready, with exit code 0; it said nothing.");
    }

    @Test
    void aProgramThatIsAbsent() {
        assertThatThrownBy(() -> start("/absent/java"))
                .isInstanceOf(ProgramFailed.class)
                .hasMessageStartingWith("The second process can't be started: ")
                .hasMessageContaining("/absent/java");
    }

    private static void start(String... command) {
        Child.start(NAME, List.of(command), Map.of(), line -> {}).close();
    }
}
