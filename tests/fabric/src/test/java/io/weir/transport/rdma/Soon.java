package io.weir.transport.rdma;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for what other threads and the device bring about, far longer than anything takes on an emulated processor,
 * unless {@code weir.test.patience} says for how many seconds.
 */
public final class Soon {

    private static final long LIMIT_SECONDS = Long.getLong("weir.test.patience", 90);

    private static final long LOOK_AGAIN_NANOS = 100_000;

    private Soon() {}

    public static void until(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + LIMIT_SECONDS + " s");
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    public static void await(CompletableFuture<?> end) {
        var unused = end.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
    }
}
