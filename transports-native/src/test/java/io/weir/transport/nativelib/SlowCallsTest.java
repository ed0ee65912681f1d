package io.weir.transport.nativelib;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SlowCallsTest {

    @Test
    void allAreMadeAndManyThatWaitAreSeen() throws InterruptedException {
        int many = 100;
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch made = new CountDownLatch(many);
        for (int i = 0; i < many; i++) {
            SlowCalls.run(() -> {
                awaitEnd(end);
                made.countDown();
            });
        }
        assertThat(SlowCalls.areLate()).isTrue();
        end.countDown();
        assertThat(made.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(SlowCalls.areLate()).isFalse();
    }

    @Test
    void oneThatWaitsForLongIsSeen() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch made = new CountDownLatch(17);
        for (int i = 0; i < 17; i++) {
            SlowCalls.run(() -> {
                awaitEnd(end);
                made.countDown();
            });
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!SlowCalls.areLate() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(SlowCalls.areLate()).isTrue();
        end.countDown();
        assertThat(made.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(SlowCalls.areLate()).isFalse();
    }

    private static void awaitEnd(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
