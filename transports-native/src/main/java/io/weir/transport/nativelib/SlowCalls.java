package io.weir.transport.nativelib;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * System calls that may take as long as another process likes, on threads of their own, so that no loop makes them. What a process
 * passes over a socket may be anything, such as a TCP connection that lingers when it is closed; and whoever closes a socket
 * closes what was passed over it and not received. Thread-safe.
 */
public final class SlowCalls {

    private static final int THREADS = 16;
    private static final long IDLE_SECONDS = 5;

    /** With more of them nothing is begun that would need another one. */
    private static final int MANY = 64;

    private static final ThreadPoolExecutor POOL = new ThreadPoolExecutor(
            THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), SlowCalls::thread);

    static {
        POOL.allowCoreThreadTimeOut(true);
    }

    private SlowCalls() {}

    private static Thread thread(Runnable calls) {
        Thread thread = new Thread(calls, "slow-calls");
        thread.setDaemon(true);
        return thread;
    }

    /** Makes this call, which throws nothing, when there is a thread for it. */
    public static void run(Runnable call) {
        try {
            POOL.execute(call);
        } catch (OutOfMemoryError e) {
            // No thread can be had: one that is there makes it, or the next one that can be had.
            POOL.getQueue().add(call);
        }
    }

    /** Closes this when there is a thread for it. */
    public static void close(Descriptor descriptor) {
        run(descriptor::close);
    }

    /** Whether many calls wait: then others keep the threads, and whoever can do without such a call does. */
    public static boolean areLate() {
        return POOL.getQueue().size() >= MANY;
    }
}
