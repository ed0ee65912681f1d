package io.weir.test;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What Netty's leak detector reports. It can be heard only if {@link #listen()} comes before the first buffer of this
 * JVM; it logs in any case.
 */
final class Leaks {

    private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();
    private static final String CANARY = "canary of io.weir.test, number ";
    private static final AtomicLong CANARIES = new AtomicLong();

    /**
     * A collection that is asked for is mostly done at once; where nothing has come of so many, the JVM does as it
     * pleases.
     */
    private static final int ROUNDS = 100;

    private static final long ROUND_NANOS = 10_000_000;

    private static boolean listening;
    /** The detector of buffers is ours. */
    private static volatile boolean hears;

    private Leaks() {}

    /** Has each buffer watched from now on. */
    static synchronized void listen() {
        if (!listening) {
            listening = true;
            ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Listening());
            // The first buffer has its detector made.
            UnpooledByteBufAllocator.DEFAULT.directBuffer(1).release();
            if (hears) {
                ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
            }
        }
    }

    /** The reports since the last call: of buffers that were dropped without a release by anybody in this JVM. */
    static synchronized List<String> found() {
        List<String> leaks = new ArrayList<>();
        if (!hears) {
            return leaks;
        }
        String canary = CANARY + CANARIES.incrementAndGet() + '.';
        drop(canary);
        for (int round = 0; round < ROUNDS && !isReported(canary); round++) {
            LockSupport.parkNanos(ROUND_NANOS);
        }
        for (String leak; (leak = REPORTS.poll()) != null; ) {
            if (!leak.contains(CANARY)) {
                leaks.add(leak);
            }
        }
        return leaks;
    }

    private static boolean isReported(String canary) {
        System.gc();
        // The detector looks when the next buffer is made.
        UnpooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        return REPORTS.stream().anyMatch(leak -> leak.contains(canary));
    }

    @SuppressWarnings("CheckReturnValue") // Dropped on purpose.
    private static void drop(String canary) {
        UnpooledByteBufAllocator.DEFAULT.directBuffer(1).touch(canary);
    }

    private static final class Listening extends ResourceLeakDetectorFactory {

        @Override
        @Deprecated
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int interval, long maxActive) {
            return listener(resource, interval);
        }

        @Override
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int interval) {
            return listener(resource, interval);
        }
    }

    private static <T> ResourceLeakDetector<T> listener(Class<T> resource, int interval) {
        if (resource == ByteBuf.class) {
            hears = true;
        }
        return new Listener<>(resource, interval);
    }

    private static final class Listener<T> extends ResourceLeakDetector<T> {

        Listener(Class<?> resource, int interval) {
            super(resource, interval);
        }

        @Override
        protected void reportTracedLeak(String type, String records) {
            REPORTS.add(type + ' ' + records);
            if (!records.contains(CANARY)) {
                super.reportTracedLeak(type, records);
            }
        }

        @Override
        protected void reportUntracedLeak(String type) {
            REPORTS.add(type);
            super.reportUntracedLeak(type);
        }
    }
}
