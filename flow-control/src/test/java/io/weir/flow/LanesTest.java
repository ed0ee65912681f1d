package io.weir.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LanesTest {

    private static final List<Lane> IN_ORDER = List.of(Lane.CONTROL, Lane.SMALL, Lane.BULK);

    private final Lanes<String> lanes = new Lanes<>();

    @Test
    void controlBeforeSmallBeforeBulkAndFirstComeFirstServed() {
        lanes.add(Lane.BULK, "b1");
        lanes.add(Lane.SMALL, "s1");
        lanes.add(Lane.SMALL, "s2");
        lanes.add(Lane.CONTROL, "c1");
        lanes.add(Lane.BULK, "b2");
        lanes.add(Lane.CONTROL, "c2");

        assertThat(lanes.size()).isEqualTo(6);
        assertThat(taken(6)).containsExactly("c1", "c2", "s1", "s2", "b1", "b2");
        assertThat(lanes.isEmpty()).isTrue();
        assertThat(lanes.next()).isNull();
    }

    @Test
    void whoIsAddedAgainTakesTurns() {
        lanes.add(Lane.BULK, "a");
        lanes.add(Lane.BULK, "b");
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            String item = lanes.next();
            order.add(item);
            lanes.add(Lane.BULK, item);
        }
        assertThat(order).containsExactly("a", "b", "a", "b", "a", "b");
    }

    @Test
    void bulkGoesOnceAfterEnoughSmallOnes() {
        lanes.add(Lane.BULK, "bulk");
        lanes.add(Lane.BULK, "bulk");
        for (int i = 0; i < 3 * Lanes.PATIENCE; i++) {
            lanes.add(Lane.SMALL, "small");
        }
        List<String> order = taken(3 * Lanes.PATIENCE + 2);

        assertThat(order.indexOf("bulk")).isEqualTo(Lanes.PATIENCE);
        assertThat(order.lastIndexOf("bulk")).isEqualTo(2 * Lanes.PATIENCE + 1);
    }

    @Test
    void smallOnesThatWentWhileNoBulkWaitedDoNotCount() {
        for (int i = 0; i < 2 * Lanes.PATIENCE; i++) {
            lanes.add(Lane.SMALL, "small");
        }
        assertThat(taken(Lanes.PATIENCE)).containsOnly("small");
        lanes.add(Lane.BULK, "bulk");
        assertThat(taken(Lanes.PATIENCE)).containsOnly("small");
        assertThat(lanes.next()).isEqualTo("bulk");
    }

    @Test
    void controlGoesEvenBeforeBulkWhoseTurnHasCome() {
        lanes.add(Lane.BULK, "bulk");
        for (int i = 0; i <= Lanes.PATIENCE; i++) {
            lanes.add(Lane.SMALL, "small");
        }
        assertThat(taken(Lanes.PATIENCE)).containsOnly("small");
        lanes.add(Lane.CONTROL, "control");
        assertThat(taken(3)).containsExactly("control", "bulk", "small");
    }

    @Test
    void whatIsPutBackGoesFirstInItsLane() {
        lanes.add(Lane.SMALL, "s1");
        lanes.add(Lane.SMALL, "s2");
        assertThat(lanes.next()).isEqualTo("s1");
        lanes.putBack(Lane.SMALL, "s1");
        assertThat(taken(2)).containsExactly("s1", "s2");
    }

    @Test
    void bulkThatIsPutBackKeepsItsTurn() {
        lanes.add(Lane.BULK, "bulk");
        for (int i = 0; i <= Lanes.PATIENCE; i++) {
            lanes.add(Lane.SMALL, "small");
        }
        assertThat(taken(Lanes.PATIENCE)).containsOnly("small");
        assertThat(lanes.next()).isEqualTo("bulk");
        lanes.putBack(Lane.BULK, "bulk");
        assertThat(taken(2)).containsExactly("bulk", "small");
    }

    @Test
    void behavesAsThreeListsWouldInAnyOrderOfCalls() {
        for (long seed = 1; seed <= 500; seed++) {
            compareWithLists(seed);
        }
    }

    /** Whatever the order of calls, no bulk item is passed more often than the limit says, and nothing is lost. */
    private static void compareWithLists(long seed) {
        Random random = new Random(seed);
        Lanes<Integer> lanes = new Lanes<>();
        List<Queue<Integer>> lists = List.of(new ArrayDeque<>(), new ArrayDeque<>(), new ArrayDeque<>());
        int smallSinceBulk = 0;
        for (int i = 0; i < 2000; i++) {
            if (random.nextInt(5) < 3) {
                int lane = random.nextInt(20) == 0 ? 2 : random.nextInt(2);
                lanes.add(IN_ORDER.get(lane), i);
                lists.get(lane).add(i);
            } else {
                Integer next = lanes.next();
                int lane = laneOf(lists, smallSinceBulk);
                assertThat(next)
                        .as("seed %d", seed)
                        .isEqualTo(lane < 0 ? null : lists.get(lane).remove());
                boolean passes = lane == 1 && !lists.get(2).isEmpty();
                smallSinceBulk = passes ? smallSinceBulk + 1 : lane == 0 ? smallSinceBulk : 0;
            }
            assertThat(lanes.size())
                    .as("seed %d", seed)
                    .isEqualTo(lists.stream().mapToInt(Queue::size).sum());
        }
    }

    private static int laneOf(List<Queue<Integer>> lists, int smallSinceBulk) {
        if (!lists.get(0).isEmpty()) {
            return 0;
        }
        boolean small = !lists.get(1).isEmpty();
        boolean bulk = !lists.get(2).isEmpty();
        return bulk && (!small || smallSinceBulk >= Lanes.PATIENCE) ? 2 : small ? 1 : -1;
    }

    private List<String> taken(int count) {
        List<String> order = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            order.add(lanes.next());
        }
        return order;
    }

    @Test
    void itemsAreTakenOutOfAllLanes() {
        Lanes<String> lanes = new Lanes<>();
        for (Lane lane : Lane.values()) {
            lanes.add(lane, "over");
            lanes.add(lane, "stays in " + lane);
        }
        lanes.removeIf("over"::equals);
        assertThat(lanes.size()).isEqualTo(Lane.values().length);
        assertThat(lanes.next()).isEqualTo("stays in " + Lane.CONTROL);
    }
}
