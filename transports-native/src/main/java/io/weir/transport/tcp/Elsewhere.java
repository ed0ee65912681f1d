package io.weir.transport.tcp;

import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Threads for keys and certificates, which the loops must not wait for. All nodes of the process share them. */
final class Elsewhere {

    /** For one of these threads; whoever comes then is refused. */
    private static final int MOST_WAITING = 10_000;

    /** As many as leave the loops some processors, whoever connects. */
    private static final Scheduler THREADS = Schedulers.newBoundedElastic(
            Math.max(1, Runtime.getRuntime().availableProcessors() / 2), MOST_WAITING, "weir-keys", 60, true);

    private Elsewhere() {}

    /**
     * Runs this on one of them, later. Any thread may call.
     *
     * @throws java.util.concurrent.RejectedExecutionException if too much is waiting already
     */
    static void execute(Runnable task) {
        var unused = THREADS.schedule(task);
    }
}
