package io.weir.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BalancerTest {

    @Test
    void eachInItsTurn() {
        Balancer balancer = Balancer.roundRobin();
        int[] chosen =
                IntStream.range(0, 7).map(i -> balancer.choose(3, at -> 0)).toArray();
        assertThat(chosen).containsExactly(0, 1, 2, 0, 1, 2, 0);
    }

    @Test
    void theOneWithTheFewestCalls() {
        Balancer balancer = Balancer.leastOutstanding();
        int[] calls = {3, 1, 0, 2};
        for (int i = 0; i < 8; i++) {
            assertThat(balancer.choose(4, at -> calls[at])).isEqualTo(2);
        }
    }

    @Test
    void amongEqualsEachGetsSome() {
        Balancer balancer = Balancer.leastOutstanding();
        Set<Integer> chosen = IntStream.range(0, 4)
                .map(i -> balancer.choose(4, at -> 5))
                .boxed()
                .collect(Collectors.toSet());
        assertThat(chosen).hasSize(4);
    }
}
