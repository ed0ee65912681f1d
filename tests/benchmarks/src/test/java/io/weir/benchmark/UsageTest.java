package io.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UsageTest {

    private final long self = ProcessHandle.current().pid();

    @Test
    void growsWithWorkAndAlsoWhenTheThreadHasEnded() throws InterruptedException {
        Usage before = Usage.of(self);
        Thread worker = new Thread(() -> {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
        });
        worker.start();
        worker.join();

        assertThat(Usage.of(self).cpuNanosSince(before)).isPositive();
        assertThat(Usage.of(self).rssBytes()).isGreaterThan(1 << 20);
    }

    @Test
    void isNothingForNobody() {
        Usage nobody = Usage.of(1L << 40);

        assertThat(nobody.cpuNanos()).isZero();
        assertThat(nobody.rssBytes()).isZero();
    }
}
