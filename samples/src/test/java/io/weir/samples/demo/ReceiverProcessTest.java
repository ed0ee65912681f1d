package io.weir.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReceiverProcessTest {

    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @Test
    void endsByItselfWhenItsInputEnds() throws Exception {
        Process process;
        try (ReceiverProcess receiver = ReceiverProcess.start(1, line -> {})) {
            process = receiver.process();
            assertThat(process.isAlive()).isTrue();
            assertThat(receiver.address().port()).isPositive();
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void whatItSaysIsToldWhenItDoesNotStart() {
        assertThatThrownBy(() -> start(JAVA, "-XX:NoSuchOption"))
                .isInstanceOf(DemoFailed.class)
                .hasMessageStartingWith("The second process ended before it was ready, with exit code 1; it said:")
                .hasMessageContaining("NoSuchOption");
    }

    @Test
    void silenceIsToldAsWell() {
        assertThatThrownBy(() -> start("true"))
                .isInstanceOf(DemoFailed.class)
                .hasMessage("The second process ended before it was ready, with exit code 0; it said nothing.");
    }

    @Test
    void aProgramThatIsAbsent() {
        assertThatThrownBy(() -> start("/absent/java"))
                .isInstanceOf(DemoFailed.class)
                .hasMessageStartingWith("The second process can't be started: ")
                .hasMessageContaining("/absent/java");
    }

    private static void start(String... command) {
        ReceiverProcess.start(List.of(command), Map.of(), line -> {}).close();
    }
}
