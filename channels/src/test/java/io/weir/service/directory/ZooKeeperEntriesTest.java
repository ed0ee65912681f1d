package io.weir.service.directory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.RareLog;
import java.util.Optional;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whoever may write into ZooKeeper decides how much there is, and not how much a node keeps of it. */
class ZooKeeperEntriesTest {

    private static final long BYTES = 8 << 20;

    private final ZooKeeperEntries entries = new ZooKeeperEntries(
            new RareLog(LoggerFactory.getLogger(ZooKeeperEntriesTest.class), System::nanoTime), new EntryRoom(BYTES));

    private static ChildData entry(int number, byte[] text) {
        return new ChildData("/weir/nodes/" + number, new Stat(), text);
    }

    private static ChildData entry(int number, int size) {
        return entry(number, new byte[size]);
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
        for (int i = 0; i < EntryRoom.MOST; i++) {
            assertThat(entries.put(entry(i, 1))).isEmpty();
        }
        ChildData further = entry(-1, 1);
        assertThat(entries.put(further)).as("no event").containsSame(further);
        assertThat(entries.size()).isEqualTo(EntryRoom.MOST);
        assertThat(entries.put(entry(0, 2))).as("a change of a known one").isPresent();
        assertThat(entries.further()).isNull();
        assertThat(entries.remove("/weir/nodes/0")).isPresent();
        assertThat(entries.further()).isEqualTo("/weir/nodes/-1");
        assertThat(entries.put(further)).isEmpty();
        assertThat(entries.further()).isNull();
    }

    @Test
    void thoseThatFindNoRoomAgainAreLeftUntilThereIsMore() {
        for (int i = 0; i < EntryRoom.MOST + 3; i++) {
            Optional<ChildData> unused = entries.put(entry(i, 1));
        }
        Optional<ChildData> unused = entries.remove("/weir/nodes/0");
        for (int i = 0; i < 2; i++) {
            assertThat(entries.further()).isEqualTo("/weir/nodes/" + (EntryRoom.MOST + i));
            unused = entries.put(entry(EntryRoom.MOST + i, 1));
        }
        assertThat(entries.further()).isNull();
        unused = entries.remove("/weir/nodes/" + (EntryRoom.MOST + 2));
        unused = entries.remove("/weir/nodes/1");
        assertThat(entries.further()).isEqualTo("/weir/nodes/" + (EntryRoom.MOST + 1));
    }

    /** What many short lines become when they are read is far longer than they are. */
    @Test
    void soMuchMemoryIsKept() {
        byte[] lines = "attribute a b\n".repeat(1100).getBytes(UTF_8);
        assertThat(lines).hasSizeLessThan(ListingText.LONGEST);
        for (int i = 0; i < 1000; i++) {
            Optional<ChildData> unused = entries.put(entry(i, lines));
        }
        assertThat(entries.size()).isBetween(10, (int) (BYTES / (1100 * 200)));
        entries.clear();
        for (int i = 0; i < 1000; i++) {
            Optional<ChildData> unused = entries.put(entry(i, 10_000));
        }
        assertThat(entries.size()).isBetween(100, (int) (BYTES / 20_000));
    }

    @Test
    void whatIsTooLongIsNotKept() {
        ChildData tooLong = entry(1, ListingText.LONGEST + 1);
        assertThat(entries.put(tooLong)).as("no event").containsSame(tooLong);
        assertThat(entries.size()).isZero();
    }

    @Test
    void eachChangeIsLookedAtOnce() {
        ChangedNames changed = new ChangedNames();
        assertThat(changed.add("a")).isTrue();
        assertThat(changed.add("b")).isFalse();
        assertThat(changed.add("a")).isFalse();
        assertThat(changed.take()).containsExactly("a", "b");
        assertThat(changed.add("a")).isTrue();
        for (int i = 0; i < 2 * EntryRoom.MOST; i++) {
            assertThat(changed.add("name-" + i)).isFalse();
        }
        assertThat(changed.take()).as("too many: all").isNull();
        assertThat(changed.take()).isEmpty();
    }
}
