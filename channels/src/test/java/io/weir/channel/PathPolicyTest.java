package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PathPolicyTest {

    private static final PathPolicy NODE =
            new PathPolicy(List.of("shm", "tcp"), Map.of("shm", PathSwitch.REQUIRED, "tcp", PathSwitch.OFF));

    @Test
    void whatIsNotSaidIsOn() {
        assertThat(NODE.of("shm")).isEqualTo(PathSwitch.REQUIRED);
        assertThat(NODE.of("tcp")).isEqualTo(PathSwitch.OFF);
        assertThat(NODE.of("gm")).isEqualTo(PathSwitch.ON);
    }

    @Test
    void theStandardOrderIsLocalFirstAndTcpLast() {
        assertThat(PathPolicy.standard().order())
                .containsExactly("local", "shm", "verbs", "dapl", "gm", "p4sock", "elan", "tcp");
        assertThat(PathPolicy.standard().required()).isFalse();
    }

    @Test
    void aNarrowerPolicyReplacesTheOrderAndSwitchesOneByOne() {
        PathPolicy peer = new PathPolicy(List.of("tcp", "shm"), Map.of("tcp", PathSwitch.ON));
        assertThat(NODE.and(peer))
                .isEqualTo(new PathPolicy(
                        List.of("tcp", "shm"), Map.of("shm", PathSwitch.REQUIRED, "tcp", PathSwitch.ON)));
    }

    @Test
    void aNarrowerPolicyWithoutOrderKeepsIt() {
        PathPolicy peer = new PathPolicy(List.of(), Map.of("shm", PathSwitch.ON));
        assertThat(NODE.and(peer).order()).containsExactly("shm", "tcp");
        assertThat(NODE.and(peer).required()).isFalse();
        assertThat(NODE.and(PathPolicy.unchanged())).isEqualTo(NODE);
    }

    @Test
    void namesAPathOnce() {
        assertThatThrownBy(() -> new PathPolicy(List.of("shm", "tcp", "shm"), Map.of()))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("the order of paths names shm twice: shm, tcp, shm");
    }

    @Test
    void printsOrderAndSwitches() {
        assertThat(NODE).hasToString("shm, tcp; shm=required, tcp=off");
        assertThat(PathPolicy.unchanged()).hasToString("");
        assertThat(new PathPolicy(List.of(), Map.of("gm", PathSwitch.OFF))).hasToString("gm=off");
    }
}
