package io.weir.transport.nativelib;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnitMapTest {

    private record Run(int first, int count) {}

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 63, 64, 65, 100, 128, 512, 1000})
    void agreesWithANaiveFirstFit(int units) {
        Random random = new Random(units);
        UnitMap map = new UnitMap(units);
        BitSet model = new BitSet();
        List<Run> runs = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            if (random.nextInt(100) < 55) {
                int count = 1 + random.nextInt(random.nextInt(10) == 0 ? units + 2 : Math.min(units, 9));
                int expected = firstFit(model, units, count);
                assertThat(map.take(count)).isEqualTo(expected);
                if (expected >= 0) {
                    model.set(expected, expected + count);
                    runs.add(new Run(expected, count));
                }
            } else if (!runs.isEmpty()) {
                Run run = runs.remove(random.nextInt(runs.size()));
                map.give(run.first, run.count);
                model.clear(run.first, run.first + run.count);
            }
            assertThat(map.free()).isEqualTo(units - model.cardinality());
        }
    }

    private static int firstFit(BitSet taken, int units, int count) {
        for (int first = taken.nextClearBit(0); first + count <= units; first = taken.nextClearBit(first)) {
            int end = taken.nextSetBit(first);
            if (end < 0 || end >= first + count) {
                return first;
            }
            first = end;
        }
        return -1;
    }

    @Test
    void usesLowUnitsAgainFirst() {
        UnitMap map = new UnitMap(512);
        assertThat(map.take(64)).isZero();
        assertThat(map.take(64)).isEqualTo(64);
        map.give(0, 64);
        assertThat(map.take(1)).isZero();
        assertThat(map.take(64)).isEqualTo(128);
    }
}
