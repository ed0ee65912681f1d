package io.weir.benchmark.contender;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A user's thread that sends something now and then, on the processor of the hot thread; between two messages, all
 * sleep.
 */
final class Pause implements AutoCloseable {

    private static final long MILLIS = 2;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "bench-pause");
        thread.setDaemon(true);
        return thread;
    });

    Pause(Pinning pinning) {
        timer.execute(pinning::pinHere);
    }

    void thenRun(Runnable send) {
        ScheduledFuture<?> unused = timer.schedule(send, MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
