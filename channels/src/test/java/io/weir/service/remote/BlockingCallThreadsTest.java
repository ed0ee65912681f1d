package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BlockingCallThreadsTest {

    private static final int MANY = 100;

    private final BlockingCallThreads threads = new BlockingCallThreads("test-");

    @Test
    void allCallsRunAtOnceHoweverManyThereAre() throws InterruptedException {
        CountDownLatch together = new CountDownLatch(MANY);
        for (int i = 0; i < MANY; i++) {
            threads.execute(() -> {
                together.countDown();
                uninterrupted(together);
            });
        }
        together.await();
        threads.shutdown();
    }

    /** A thread inherits from the one that starts it. */
    @Test
    void theCallerStartsNoThreadOfACall() {
        InheritableThreadLocal<String> mark = new InheritableThreadLocal<>();
        CountDownLatch end = new CountDownLatch(1);
        threads.execute(() -> uninterrupted(end));
        mark.set("of the caller");
        CompletableFuture<String> seen = new CompletableFuture<>();
        threads.execute(() -> seen.complete(String.valueOf(mark.get())));
        mark.remove();
        assertThat(seen.join()).isEqualTo("null");
        end.countDown();
        threads.shutdown();
    }

    @Test
    void whatWasTakenRunsAlsoBehindTheEnd() {
        for (int i = 0; i < MANY; i++) {
            BlockingCallThreads ending = new BlockingCallThreads("ending-");
            CompletableFuture<Void> ran = new CompletableFuture<>();
            ending.execute(() -> ran.complete(null));
            ending.shutdown();
            ran.join();
            assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> ending.execute(() -> {}));
        }
    }

    private static void uninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
