package io.weir.spring.autoconfigure;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Platform threads for calls that may block: as many as there are calls, which their services bound; nobody waits in a
 * queue.
 */
final class CallThreadPool {

    private static final long IDLE_SECONDS = 60;

    private CallThreadPool() {}

    static ExecutorService create() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("weir-call-");
        threads.setDaemon(true);
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }
}
