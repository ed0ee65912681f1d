package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadlinesTest {

    private final Deadlines deadlines = new Deadlines();

    private static final class Late extends Deadlines.Entry {

        private final CountDownLatch told = new CountDownLatch(1);

        @Override
        void expired() {
            told.countDown();
        }

        boolean isTold() {
            return told.getCount() == 0;
        }

        void await() throws InterruptedException {
            assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void whoIsLateHearsItAndWhoHasLeftDoesNot() throws InterruptedException {
        List<Late> all = new ArrayList<>();
        List<Late> leftInTime = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Late late = new Late();
            all.add(late);
            long time = Duration.ofMillis(20 + i % 7).toNanos();
            long entered = System.nanoTime();
            deadlines.enter(late, time);
            if (i % 2 == 0) {
                deadlines.leave(late);
                deadlines.leave(late);
                // This thread may have had to wait for a processor.
                if (System.nanoTime() - entered < time) {
                    leftInTime.add(late);
                }
            }
        }
        Late last = new Late();
        deadlines.enter(last, Duration.ofMillis(80).toNanos());
        last.await();

        for (int i = 0; i < all.size(); i++) {
            if (i % 2 == 1) {
                all.get(i).await();
            }
        }
        // Those that have left were due before the last one.
        assertThat(leftInTime).isNotEmpty().noneMatch(Late::isTold);
    }

    @Test
    void theWheelGoesRoundMoreThanOnceAndTurnsAgainAfterARest() throws InterruptedException {
        Late first = new Late();
        deadlines.enter(first, 1);
        first.await();
        Late far = new Late();
        Late near = new Late();
        // 512 slots of 10 ms: both lie in the same one.
        deadlines.enter(far, Duration.ofMillis(5120 + 30).toNanos());
        deadlines.enter(near, Duration.ofMillis(30).toNanos());
        near.await();

        assertThat(far.isTold()).isFalse();
        deadlines.leave(far);
    }
}
