package io.weir.transport.nativelib;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * System calls that may take as long as another process likes, on threads of their own, so that no loop makes them.
 * What a process passes over a socket may be anything, such as a TCP connection that lingers when it is closed; and
 * whoever closes a socket closes what was passed over it and not received. Thread-safe.
 */
public final class SlowCalls {

    private static final int THREADS = 16;
    private static final long IDLE_MILLIS = 100;

    /** With more of them nothing is begun that would need another one. */
    private static final int MANY = 64;

    /** Nanoseconds: nor when one has waited so long for a thread. */
    private static final long LATE = TimeUnit.MILLISECONDS.toNanos(100);

    private static final ThreadPoolExecutor POOL = new ThreadPoolExecutor(
            THREADS, THREADS, IDLE_MILLIS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), SlowCalls::thread);

    static {
        POOL.allowCoreThreadTimeOut(true);
    }

    private SlowCalls() {}

    private static Thread thread(Runnable calls) {
        Thread thread = new Thread(calls, "slow-calls");
        thread.setDaemon(true);
        return thread;
    }

    private record Waiting(Runnable call, long since) implements Runnable {

        @Override
        public void run() {
            call.run();
        }
    }

    /** Makes this call, which throws nothing, when there is a thread for it. */
    public static void run(Runnable call) {
        Waiting waiting = new Waiting(call, System.nanoTime());
        try {
            POOL.execute(waiting);
        } catch (OutOfMemoryError e) {
            // No thread can be had: one that is there makes it, or the next one that can be had.
            POOL.getQueue().add(waiting);
        }
    }

    /** Closes this when there is a thread for it. */
    public static void close(Descriptor descriptor) {
        run(descriptor::close);
    }

    /**
     * Whether many calls wait, or one for long: then others keep the threads, and whoever can do without such a call
     * does.
     */
    public static boolean areLate() {
        boolean late = POOL.getQueue().size() >= MANY
                || (POOL.getQueue().peek() instanceof Waiting first && System.nanoTime() - first.since > LATE);
        if (late && POOL.getPoolSize() == 0) {
            beginAgain();
        }
        return late;
    }

    /** No thread could be had for what waits, and nothing else may come that asks for one. */
    private static void beginAgain() {
        try {
            var unused = POOL.prestartCoreThread();
        } catch (OutOfMemoryError e) {
            // The next look may find one.
        }
    }
}
