package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.core.Waiting;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.nativelib.Descriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.scheduler.Schedulers;

@Timeout(120)
@ExtendWith(NothingLeft.class)
class GrowthTest {

    private static final SegmentLayout LAYOUT = new SegmentLayout(4 << 20, 8 << 20);
    private static final int FIRST = LAYOUT.ring() + Growth.FIRST_RING + Growth.FIRST_POOL;

    @TempDir
    Path folder;

    /** What the system has given to the file. */
    private static long allocated(Descriptor file) throws IOException {
        long self = ProcessHandle.current().pid();
        Process stat = new ProcessBuilder("stat", "-L", "-c", "%b", "/proc/" + self + "/fd/" + file.number()).start();
        String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        return 512 * Long.parseLong(blocks.trim());
    }

    private static int grown(Growth growth, Consumer<IntConsumer> how) {
        // It is busy for a moment behind its last report.
        OnLoop.until(() -> !growth.isBusy());
        CompletableFuture<Integer> bytes = new CompletableFuture<>();
        how.accept(bytes::complete);
        return OnLoop.await(bytes);
    }

    @Test
    void aSegmentBeginsWithLittleAndEndsWithAll() throws IOException {
        MemoryBudget budget = new MemoryBudget();
        long most = 8L * LAYOUT.length() / 7 + 8;
        Growth growth = Growth.begin(LAYOUT, budget, most);
        Descriptor file = growth.file();
        assertThat(allocated(file)).isBetween((long) FIRST, FIRST + 16_384L);
        growth.passed();
        assertThat(grown(growth, growth::growRing)).isEqualTo(2 * Growth.FIRST_RING);
        assertThat(allocated(file)).isBetween(FIRST + (long) Growth.FIRST_RING, FIRST + Growth.FIRST_RING + 16_384L);
        assertThat(grown(growth, done -> growth.growPool(100, done))).isEqualTo(2 * Growth.FIRST_POOL);
        assertThat(grown(growth, done -> growth.growPool(1 << 20, done))).isEqualTo(2 * Growth.FIRST_POOL + (1 << 20));
        while (growth.ring() < LAYOUT.ringSize()) {
            assertThat(grown(growth, growth::growRing)).isEqualTo(growth.ring());
        }
        assertThat(grown(growth, done -> growth.growPool(8 << 20, done))).isEqualTo(LAYOUT.poolSize());
        assertThatThrownBy(() -> budget.take(most - LAYOUT.length() + 1, most).give())
                .isInstanceOf(PeerUnavailable.class);
        OnLoop.until(() -> !growth.isBusy());
        growth.close();
        assertThat(Descriptor.open()).isZero();
        budget.take(LAYOUT.length(), LAYOUT.length()).give();
    }

    @Test
    void aSmallSegmentHasItsMemoryAtOnce() throws IOException {
        SegmentLayout small = new SegmentLayout(512 << 10, 256 << 10);
        Growth growth = Growth.begin(small, new MemoryBudget(), small.length());
        assertThat(allocated(growth.file())).isGreaterThanOrEqualTo(small.length());
        growth.growRing(bytes -> {});
        growth.growPool(1, bytes -> {});
        assertThat(growth.isBusy()).as("there is nothing to grow").isFalse();
        growth.passed();
        assertThat(Descriptor.open()).isZero();
        growth.close();
    }

    @Test
    void whatTheBudgetDoesNotHaveIsNotTaken() throws IOException {
        MemoryBudget budget = new MemoryBudget();
        // Room for one that grows once, as an eighth is not for growing.
        int most = (FIRST + Growth.FIRST_RING) / 7 * 8 + 8;
        Growth growth = Growth.begin(LAYOUT, budget, most);
        assertThatThrownBy(() -> Growth.begin(LAYOUT, budget, most))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("weir.transport.shm.memory");
        assertThat(grown(growth, done -> growth.growPool(1, done))).isEqualTo(2 * Growth.FIRST_POOL);
        AtomicInteger unexpected = new AtomicInteger();
        growth.growRing(unexpected::set);
        OnLoop.until(() -> isRefused(growth, unexpected));
        assertThat(growth.ring()).isEqualTo(Growth.FIRST_RING);
        growth.close();
        budget.take(LAYOUT.length(), LAYOUT.length()).give();
    }

    /** A second attempt is put off, so it is enough that the first one is over. */
    private static boolean isRefused(Growth growth, AtomicInteger unexpected) {
        assertThat(unexpected).hasValue(0);
        return !growth.isBusy();
    }

    @Test
    void whereNoThreadCanBeHadNothingGrowsAndNothingIsLost() {
        MemoryBudget budget = new MemoryBudget();
        Growth growth = Growth.begin(LAYOUT, budget, 8L * LAYOUT.length());
        Schedulers.onScheduleHook("none", task -> {
            throw new IllegalStateException("expected: no thread");
        });
        try {
            growth.growRing(bytes -> {});
        } finally {
            Schedulers.resetOnScheduleHook("none");
        }
        assertThat(growth.isBusy()).isFalse();
        growth.close();
        assertThat(Descriptor.open()).isZero();
        budget.take(LAYOUT.length(), LAYOUT.length()).give();
    }

    @Test
    void whatCanNeverFitGrowsNothing() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            ByteBuf tooLong = pair.left.link().allocator().buffer(LAYOUT.poolSize() + 1);
            assertThat(pair.left.link().port().growth().isBusy()).isFalse();
            tooLong.release();
        }
    }

    @Test
    void aPositionWhereThereIsNoMemoryIsNotReadFrom() throws IOException {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            stream(pair, 200, 1000);
            OnLoop.borrow(pair.right.loop());
            // Round the end of the memory, which the peer has not seen.
            assertThat(OnLoop.get(pair.left.loop(), () -> {
                        int count = 0;
                        while (count < 120 && pair.left.offer(count, 1000)) {
                            count++;
                        }
                        return count;
                    }))
                    .isEqualTo(120);
            assertThat(pair.left.link().port().growth().ring()).isLessThan(1 << 20);
            ByteBuffer memory = pair.left.link().port().outgoing().mapping().memory();
            Growth growth = pair.left.link().port().growth();
            OnLoop.until(() -> !growth.isBusy());
            long before = allocated(growth.file());
            assertThat(OnLoop.get(pair.left.loop(), () -> {
                        SegmentLayout.LONGS.set(memory, SegmentLayout.READ_POSITION, 1L << 20);
                        return pair.left.link().handBack(Frame::release);
                    }))
                    .isFalse();
            // Who reads where there is no memory takes some.
            assertThat(allocated(growth.file())).isEqualTo(before);
            pair.right.frames().onFrame = Frame::release;
            pair.right.loop().giveBack(true);
            pair.left.run(pair.left.link()::close);
        }
    }

    @Test
    void whatIsClosedWhileItGrowsGivesBackEverything() {
        MemoryBudget budget = new MemoryBudget();
        for (int i = 0; i < 200; i++) {
            Growth growth = Growth.begin(LAYOUT, budget, LAYOUT.length());
            growth.growRing(bytes -> {});
            growth.growPool(1 << 20, bytes -> {});
            growth.close();
            OnLoop.until(() -> Descriptor.open() == 0 && !growth.isBusy());
            budget.take(LAYOUT.length(), LAYOUT.length()).give();
        }
    }

    /** Sends these lengths in turn, many rounds through the ring, and waits for room like everybody. */
    private static void stream(ShmPair pair, int count, int... lengths) {
        AtomicInteger next = new AtomicInteger();
        CompletableFuture<Void> all = new CompletableFuture<>();
        Runnable more = () -> {
            while (next.get() < count && pair.left.offer(next.get(), lengths[next.get() % lengths.length])) {
                next.incrementAndGet();
            }
        };
        pair.left.frames().onWritable = more;
        AtomicInteger got = new AtomicInteger();
        pair.right.frames().onFrame = frame -> {
            int number = got.getAndIncrement();
            if (frame.channel() != number || frame.body().readableBytes() != lengths[number % lengths.length]) {
                all.completeExceptionally(new AssertionError(frame + " has come as number " + number));
            }
            frame.release();
            if (number == count - 1) {
                all.complete(null);
            }
        };
        pair.left.run(more);
        OnLoop.await(all);
        pair.left.frames().onWritable = null;
        pair.right.frames().onFrame = null;
    }

    @Test
    void aLinkGrowsAsItIsUsedAndLosesNothing() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            Growth growth = pair.left.link().port().growth();
            assertThat(growth.ring()).isEqualTo(Growth.FIRST_RING);
            assertThat(growth.pool()).isEqualTo(Growth.FIRST_POOL);
            OnLoop.until(() -> {
                stream(pair, 20_000, 8, 0, 100, 2000, 61, 1024);
                return growth.ring() == LAYOUT.ringSize();
            });
            assertThat(growth.pool()).isEqualTo(Growth.FIRST_POOL);
            OnLoop.until(() -> {
                stream(pair, 200, 100_000, 7, 60_000);
                return growth.pool() > Growth.FIRST_POOL;
            });
            assertThat(pair.right.link().port().growth().ring()).isEqualTo(Growth.FIRST_RING);
        }
    }

    @Test
    void aLinkThatMayNotGrowServesEverySizeInTheMemoryThatItHas() throws IOException {
        Map<String, String> poor = Map.of("memory", "1m");
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, poor)) {
            int longest = pair.left.link().maxFrame();
            stream(pair, 3_000, longest, 5, longest, longest - 1, 2048, 70_000, 33);
            Growth growth = pair.left.link().port().growth();
            OnLoop.until(() -> !growth.isBusy());
            assertThat(growth.ring()).isLessThan(LAYOUT.ringSize());
            // Nothing was written where there was no memory, which would have been there then.
            assertThat(allocated(growth.file())).isEqualTo(growth.ring() + growth.pool() + LAYOUT.ring());
        }
    }

    @Test
    void whatLiesInARingThatIsNotWholeIsHandedBack() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            // To where the memory ends, and beyond.
            stream(pair, 250, 1000);
            OnLoop.borrow(pair.right.loop());
            int sent = OnLoop.get(pair.left.loop(), () -> {
                int count = 0;
                while (count < 150 && pair.left.offer(count, 1500)) {
                    count++;
                }
                return count;
            });
            AtomicInteger back = new AtomicInteger();
            boolean whole = OnLoop.get(
                    pair.left.loop(),
                    () -> pair.left.link().handBack(frame -> {
                        assertThat(frame.channel()).isEqualTo(back.getAndIncrement());
                        frame.release();
                    }));
            assertThat(whole).isTrue();
            assertThat(back).hasValue(sent);
            pair.right.loop().giveBack(true);
        }
    }

    @Test
    void aGoodbyeHasRoomWhereTheMemoryEnds() {
        for (int length = 900; length < 1000; length += 7) {
            try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
                int bytes = length;
                OnLoop.borrow(pair.right.loop());
                int sent = OnLoop.get(pair.left.loop(), () -> {
                    int count = 0;
                    while (pair.left.offer(count, bytes)) {
                        count++;
                    }
                    return count;
                });
                pair.left.run(pair.left.link()::close);
                pair.right.loop().giveBack(true);
                for (int i = 0; i < sent; i++) {
                    pair.right.expect(i, bytes);
                }
                assertThat(pair.right.frames().nextLost(SessionLost.class)).hasMessageContaining("has closed");
            }
        }
    }
}
