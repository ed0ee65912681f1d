package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All that can happen to two sides which move and lose links, in every order: what one sends arrives at the other once
 * and in order, and whenever nothing more happens by itself, both go over one link and nothing waits.
 */
@Tag("one-jdk")
class MovesTest {

    /**
     * As many moves, losses and frames of each side as take seconds. {@code weir.test.moves} adds one: two moves and
     * three losses, {@code 2,3,0,false}, have 17.6 million states and take minutes, {@code 2,2,1,false} has 13.4
     * million.
     */
    static Stream<String> howMuchHappens() {
        return Stream.concat(
                Stream.of("2,0,2,false", "1,1,1,false", "2,1,1,false", "0,2,1,false", "1,1,1,true"),
                Optional.ofNullable(System.getProperty("weir.test.moves")).stream());
    }

    @ParameterizedTest(name = "moves, losses, frames a side, whether the bootstrap connection is among the losses: {0}")
    @MethodSource("howMuchHappens")
    void whateverHappensEachFrameArrivesOnceAndInOrder(String howMuch) {
        String[] each = howMuch.split(",", -1);
        MovingSides sides = new MovingSides(
                Integer.parseInt(each[0]),
                Integer.parseInt(each[1]),
                Integer.parseInt(each[2]),
                Boolean.parseBoolean(each[3]));
        Exploration all = new Exploration();
        all.explore(sides);
        assertThat(all.ends)
                .as("states in which nothing more happens by itself")
                .isPositive();
    }

    /** The check itself: what is forbidden is found where a side does not keep to the rules. */
    @Test
    void aSideThatForgetsWhatWasUnderWayIsFound() {
        MovingSides forgetful = new MovingSides(1, 1, 1, false);
        forgetful.forgetsWhatWasUnderWay();
        Exploration all = new Exploration();
        assertThatThrownBy(() -> all.explore(forgetful))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("it is given up");
    }

    private static final class Exploration {

        /** Their hashes: a set of objects would not hold millions. */
        private final LongObjectMap<Boolean> seen = new LongObjectHashMap<>(1 << 16, 0.75f);

        private final List<MovingSides.Step> way = new ArrayList<>();
        int ends;

        void explore(MovingSides state) {
            List<MovingSides.Step> steps = state.steps();
            if (steps.stream().noneMatch(MovingSides.Step::isFree)) {
                ends++;
                check(state::checkQuiet);
            }
            for (MovingSides.Step each : steps) {
                MovingSides after = state.copy();
                way.add(each);
                check(() -> after.run(each));
                if (seen.put(after.hash(), Boolean.TRUE) == null) {
                    explore(after);
                }
                way.remove(way.size() - 1);
            }
        }

        private void check(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        e.getMessage()
                                + way.stream()
                                        .map(MovingSides.Step::name)
                                        .collect(Collectors.joining("\n  ", " after\n  ", "")),
                        e);
            }
        }
    }
}
