package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StallClockTest {

    private final AtomicLong now = new AtomicLong(-1_000);
    private final StallClock clock = new StallClock(now::get);

    @Test
    void countsWhatHasEnded() {
        assertThat(clock.nanos()).isZero();
        clock.begin();
        now.addAndGet(100);
        clock.end();
        now.addAndGet(50);
        assertThat(clock.nanos()).isEqualTo(100);
    }

    @Test
    void countsWhatStillWaits() {
        clock.begin();
        now.addAndGet(100);
        assertThat(clock.nanos()).isEqualTo(100);
        clock.begin();
        now.addAndGet(10);
        assertThat(clock.nanos()).isEqualTo(120);
        clock.end();
        now.addAndGet(1);
        assertThat(clock.nanos()).isEqualTo(121);
    }

    /** A torn reading would be off by the age of the machine, or fall. */
    @Test
    void anyThreadReadsWhatIsTrue() throws InterruptedException {
        StallClock busy = new StallClock();
        long begun = System.nanoTime();
        Thread writer = new Thread(() -> {
            for (int i = 0; i < 200_000; i++) {
                busy.begin();
                busy.end();
            }
        });
        writer.start();
        long before = 0;
        while (writer.isAlive()) {
            long read = busy.nanos();
            assertThat(read).isBetween(before, System.nanoTime() - begun);
            before = read;
        }
        writer.join();
        assertThat(busy.nanos()).isPositive();
    }
}
