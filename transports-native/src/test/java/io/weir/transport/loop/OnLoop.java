package io.weir.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Loop;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Steps of a test that happen on a loop's thread; each fails after half a minute. */
public final class OnLoop {

    private OnLoop() {}

    public static <T> T get(Loop loop, Callable<T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                result.complete(action.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return await(result);
    }

    public static void run(Loop loop, Runnable action) {
        assertThat(get(loop, () -> {
                    action.run();
                    return true;
                }))
                .isTrue();
    }

    /** The caller has the loop from here on: one that is at work is asked again and again. */
    public static void borrow(Loop loop) {
        until(loop::tryBorrow);
    }

    public static void until(BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(30));
            Thread.onSpinWait();
        }
    }

    public static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }

    public static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
