package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ReusedListTest {

    @Test
    void holdsWhatAListHolds() {
        ReusedList<Integer> list = new ReusedList<>();
        List<Integer> model = new ArrayList<>();
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            if (random.nextInt(20) == 0) {
                list.clear();
                model.clear();
            } else if (random.nextInt(50) == 0) {
                list.forget();
            } else if (random.nextInt(10) == 0 && !model.isEmpty()) {
                int at = random.nextInt(model.size());
                Integer last = model.remove(model.size() - 1);
                if (at < model.size()) {
                    model.set(at, last);
                }
                assertThat(list.remove(at)).isEqualTo(last);
            } else {
                Integer element = random.nextInt(5);
                list.add(element);
                model.add(element);
            }
            assertThat(list.size()).isEqualTo(model.size());
            assertThat(list.isEmpty()).isEqualTo(model.isEmpty());
            for (int at = 0; at < model.size(); at++) {
                assertThat(list.get(at)).isEqualTo(model.get(at));
            }
        }
    }

    @Test
    void givesNothingThatWasThereBefore() {
        ReusedList<String> list = new ReusedList<>();
        list.add("a");
        list.clear();
        assertThatThrownBy(() -> list.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void letsGoOfWhatIsRemoved() {
        ReusedList<Object> list = new ReusedList<>();
        WeakReference<Object> element = addOne(list);
        list.add("last");
        assertThat(list.remove(0)).isEqualTo("last");
        assertThat(goesWithGarbage(element)).isTrue();
    }

    @Test
    void letsGoWhenTold() {
        ReusedList<Object> list = new ReusedList<>();
        WeakReference<Object> element = addOne(list);
        list.clear();
        list.forget();
        assertThat(goesWithGarbage(element)).isTrue();
    }

    @Test
    void letsGoNowAndThenByItself() {
        ReusedList<Object> list = new ReusedList<>();
        list.add("first");
        WeakReference<Object> second = addOne(list);
        for (int i = 0; i < 1_024; i++) {
            list.clear();
            list.add("first");
        }
        assertThat(goesWithGarbage(second)).isTrue();
    }

    private static WeakReference<Object> addOne(ReusedList<Object> list) {
        Object element = new Object();
        list.add(element);
        return new WeakReference<>(element);
    }

    private static boolean goesWithGarbage(WeakReference<Object> reference) {
        BooleanSupplier gone = () -> reference.get() == null;
        long end = System.nanoTime() + 10_000_000_000L;
        while (!gone.getAsBoolean() && System.nanoTime() - end < 0) {
            System.gc();
        }
        return gone.getAsBoolean();
    }
}
