package io.weir.samples.process;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TwoHostsTest {

    @Test
    void whyTheyCanNotBeMadeIsTold() {
        assertThatThrownBy(() -> TwoHosts.make(new Ip("false")).close())
                .isInstanceOf(ProgramFailed.class)
                .hasMessageMatching(
                        "'false netns add weir-[0-9a-f]{8}-a', which needs root on Linux, failed: it said nothing");
    }

    @Test
    void whatIpSaysIsTold() {
        // It takes the first argument for a file.
        assertThatThrownBy(() -> TwoHosts.make(new Ip("cat")).close())
                .isInstanceOf(ProgramFailed.class)
                .hasMessageContaining("No such file or directory");
    }

    @Test
    void anAbsentIp() {
        assertThatThrownBy(() -> TwoHosts.make(new Ip("/absent/ip")).close())
                .isInstanceOf(ProgramFailed.class)
                .hasMessageStartingWith(
                        "The command ip, of the package iproute2, makes the networks, and can't be run: ")
                .hasMessageContaining("/absent/ip");
    }
}
