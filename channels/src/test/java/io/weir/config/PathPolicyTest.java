package io.weir.config;

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
    void anOrderMayBeMeasured() {
        PathPolicy some = new PathPolicy(List.of("measured", "tcp", "shm"), Map.of("tcp", PathSwitch.OFF));
        assertThat(some.measured()).isTrue();
        assertThat(some.paths()).containsExactly("tcp", "shm");
        assertThat(some).hasToString("measured, tcp, shm; tcp=off");
        PathPolicy all = new PathPolicy(List.of("measured"), Map.of());
        assertThat(all.measured()).isTrue();
        assertThat(all.paths()).isEqualTo(PathPolicy.standard().order());
        assertThat(all).hasToString("measured");
        assertThat(NODE.measured()).isFalse();
        assertThat(NODE.paths()).isEqualTo(NODE.order());
        assertThat(PathPolicy.unchanged().measured()).isFalse();
        assertThat(PathPolicy.unchanged().paths()).isEmpty();
    }

    @Test
    void aNarrowerPolicyDecidesWhetherItsOrderIsMeasured() {
        PathPolicy measured = new PathPolicy(List.of("measured", "shm", "tcp"), Map.of());
        assertThat(measured.and(NODE).measured()).isFalse();
        assertThat(NODE.and(measured).paths()).containsExactly("shm", "tcp");
        assertThat(NODE.and(measured).measured()).isTrue();
        assertThat(measured.and(PathPolicy.unchanged())).isEqualTo(measured);
    }

    @Test
    void allOfAnOrderIsMeasuredOrNothing() {
        assertThatThrownBy(() -> new PathPolicy(List.of("shm", "measured", "tcp"), Map.of()))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("the order of paths names measured behind a path (shm, measured, tcp), and all of an order"
                        + " is measured or nothing: write it first, or leave it out");
        assertThatThrownBy(() -> new PathPolicy(List.of("measured", "measured"), Map.of()))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("the order of paths names measured twice: measured, measured");
    }

    @Test
    void printsOrderAndSwitches() {
        assertThat(NODE).hasToString("shm, tcp; shm=required, tcp=off");
        assertThat(PathPolicy.unchanged()).hasToString("");
        assertThat(new PathPolicy(List.of(), Map.of("gm", PathSwitch.OFF))).hasToString("gm=off");
    }
}
