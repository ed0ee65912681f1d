package io.weir.service.remote;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads for calls that may block: as many as there are calls at once, which the caller bounds.
 * One that is idle for five seconds ends.
 *
 * <p>No caller of {@link #execute} starts such a thread, as that takes its time, and all the more when many are
 * started: a loop would stand still meanwhile, with all its peers. Thread-safe.
 */
public final class BlockingCallThreads implements Executor {

    private static final long IDLE_SECONDS = 5;

    private final ThreadPoolExecutor threads;

    /** The one thread that starts the others. */
    private final ThreadPoolExecutor starter;

    /** @param prefix begins the name of each thread */
    public BlockingCallThreads(String prefix) {
        AtomicInteger number = new AtomicInteger();
        threads = pool(
                0,
                Integer.MAX_VALUE,
                new SynchronousQueue<>(),
                task -> daemon(task, prefix + number.incrementAndGet()));
        starter = pool(1, 1, new LinkedBlockingQueue<>(), task -> daemon(task, prefix + "starter"));
        starter.allowCoreThreadTimeOut(true);
    }

    private static ThreadPoolExecutor pool(int least, int most, BlockingQueue<Runnable> tasks, ThreadFactory factory) {
        return new ThreadPoolExecutor(least, most, IDLE_SECONDS, TimeUnit.SECONDS, tasks, factory);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Runs this at once, on a thread of its own.
     *
     * @throws RejectedExecutionException behind {@link #shutdown()}
     */
    @Override
    public void execute(Runnable call) {
        // To an idle thread directly. There may be one for a moment behind the end.
        if (starter.isShutdown() || !threads.getQueue().offer(call)) {
            starter.execute(() -> start(call));
        }
    }

    private void start(Runnable call) {
        try {
            threads.execute(call);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // It was taken, so it runs, behind the end and where no more threads can be had too.
            call.run();
        }
    }

    /** Takes no more calls; those that were taken run to their end. */
    public void shutdown() {
        starter.shutdown();
        threads.shutdown();
    }
}
