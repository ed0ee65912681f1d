package io.weir.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.RareLog;
import java.util.Optional;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whoever may write into ZooKeeper decides how much there is, and not how much a node keeps of it. */
class ZooKeeperEntriesTest {

    private final ZooKeeperEntries entries =
            new ZooKeeperEntries(new RareLog(LoggerFactory.getLogger(ZooKeeperEntriesTest.class), System::nanoTime));

    private static ChildData entry(int number, int size) {
        return new ChildData("/weir/nodes/" + number, new Stat(), new byte[size]);
    }

    @Test
    void theyAreKept() {
        ChildData first = entry(1, 10);
        ChildData second = entry(1, 20);
        assertThat(entries.put(first)).isEmpty();
        assertThat(entries.put(second)).containsSame(first);
        assertThat(entries.get("/weir/nodes/1")).containsSame(second);
        assertThat(entries.stream()).containsExactly(second);
        assertThat(entries.remove("/weir/nodes/1")).containsSame(second);
        assertThat(entries.remove("/weir/nodes/1")).isEmpty();
        assertThat(entries.size()).isZero();
    }

    @Test
    void soManyAreKept() {
        for (int i = 0; i < ZooKeeperEntries.MOST; i++) {
            assertThat(entries.put(entry(i, 1))).isEmpty();
        }
        ChildData further = entry(-1, 1);
        assertThat(entries.put(further)).as("no event").containsSame(further);
        assertThat(entries.size()).isEqualTo(ZooKeeperEntries.MOST);
        assertThat(entries.put(entry(0, 2))).as("a change of a known one").isPresent();
        assertThat(entries.remove("/weir/nodes/0")).isPresent();
        assertThat(entries.put(further)).isEmpty();
    }

    @Test
    void soManyBytesAreKept() {
        for (int i = 0; i < 1000; i++) {
            Optional<ChildData> unused = entries.put(entry(i, 1 << 20));
        }
        long kept = entries.stream().mapToLong(each -> each.getData().length).sum();
        assertThat(kept).isBetween(ZooKeeperEntries.MOST_BYTES - 70_000L, (long) ZooKeeperEntries.MOST_BYTES);
        assertThat(entries.stream())
                .allSatisfy(each -> assertThat(each.getData()).hasSize(ListingText.LONGEST + 1));
        entries.clear();
        assertThat(entries.put(entry(1, 5))).isEmpty();
        assertThat(entries.put(entry(2, 60_000))).isEmpty();
    }
}
