package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByNumberTest {

    private final ByNumber<Value> values = new ByNumber<>();

    private record Value(int number) {}

    @Test
    void isAMap() {
        Map<Integer, Value> expected = new HashMap<>();
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            // Both halves count: 0, 1 << 16 and the like, and their neighbours on both sides.
            int number = ((random.nextInt(7) - 3) << 16) + random.nextInt(30) - 15;
            assertThat(values.has(number)).isEqualTo(expected.containsKey(number));
            assertThat(values.get(number)).isEqualTo(expected.get(number));
            if (random.nextBoolean()) {
                values.put(number, new Value(i));
                expected.put(number, new Value(i));
            } else {
                assertThat(values.remove(number)).isEqualTo(expected.remove(number));
            }
            assertThat(values.size()).isEqualTo(expected.size());
        }
        assertThat(values.copy()).containsExactlyInAnyOrderElementsOf(expected.values());
        values.clear();
        assertThat(values.isEmpty()).isTrue();
    }

    /** If each removal looked at all others, this would take an hour. */
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void manyNumbersInARowCostNoMoreThanFew(int step) {
        int many = 600_000;
        int[] numbers = IntStream.range(0, 2 * many).map(i -> i * step).toArray();
        for (int i = 0; i < many; i++) {
            values.put(numbers[i], new Value(numbers[i]));
        }
        for (int i = 0; i < many; i++) {
            remove(numbers[i]);
            values.put(numbers[many + i], new Value(numbers[many + i]));
        }
        assertThat(values.size()).isEqualTo(many);
    }

    /** Without a secret they would all have the same place, and each removal would look at thousands. */
    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void numbersThatAPeerChoosesCostNoMoreEither() {
        int all = 1 << 15;
        int many = all / 2;
        for (int i = 0; i < many; i++) {
            values.put(i << 17, new Value(i << 17));
        }
        for (int i = 0; i < 40_000_000; i++) {
            remove(i << 17);
            int next = (i + many) << 17;
            values.put(next, new Value(next));
        }
        assertThat(values.size()).isEqualTo(many);
    }

    private void remove(int number) {
        Value removed = values.remove(number);
        if (removed == null || removed.number != number) {
            throw new AssertionError(number + " is " + removed);
        }
    }
}
