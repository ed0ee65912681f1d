package io.weir.tck;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Listens to Netty's leak detector, which otherwise only logs, and makes it speak when asked. Installed when the test
 * runner starts, because a detector that was made before can't be listened to.
 *
 * <p>It also counts what the detector watches. A test that has released all that it made needs no collection of garbage
 * to show that it has dropped nothing, and most tests are such.
 */
public final class LeakWatch implements LauncherSessionListener {

    private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();
    private static final String CANARY = "canary of the leak check, number ";
    private static final AtomicLong CANARIES = new AtomicLong();
    private static boolean installed;

    /** Longer than others need to say what a collection has found, or to release what a test has used last. */
    private static final Duration SHORTLY = Duration.ofMillis(20);

    /** What the detector was given to watch, in this JVM. */
    private static final AtomicLong WATCHED = new AtomicLong();

    /** What it watches still, or would if it had not been dropped. */
    private static final AtomicLong OPEN = new AtomicLong();

    /** Of {@link #OPEN}, what was made since {@link #begin}. */
    private static volatile AtomicLong openSinceBegin = new AtomicLong();

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        install();
    }

    static synchronized void install() {
        if (!installed) {
            installed = true;
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
            ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Listening());
        }
    }

    /** A test begins. */
    static void begin() {
        openSinceBegin = new AtomicLong();
    }

    /** Fails if the test has dropped buffers that it made, or if others are known to have been dropped. */
    static void failOnLeaksOfTest() {
        AtomicLong open = openSinceBegin;
        failOnLeaks(() -> open.get() == 0);
    }

    /** Fails if buffers were dropped without a release since the last call. */
    public static void failOnLeaks() {
        failOnLeaks(() -> OPEN.get() == CANARIES.get());
    }

    /** @param allReleased whether nothing that was made can have been dropped */
    private static void failOnLeaks(BooleanSupplier allReleased) {
        checkThatItWatches();
        // A loop may be about to release the last ones.
        List<String> leaks = Await.within(SHORTLY, allReleased) ? reports() : leaks();
        if (!leaks.isEmpty()) {
            throw new AssertionError(
                    leaks.size() + " buffers were dropped without a release:\n" + String.join("\n", leaks));
        }
    }

    /** A detector that is deaf or switched off is a failure. */
    private static void checkThatItWatches() {
        long before = WATCHED.get();
        UnpooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        if (WATCHED.get() == before) {
            throw new AssertionError("Netty's leak detector does not watch: it does so only if LeakWatch is installed"
                    + " before the first buffer is made, and nobody has set another level");
        }
    }

    /** Overlooks what was dropped since the last call, for tests that drop on purpose. */
    static void forget() {
        var unused = leaks();
    }

    /** The reports since the last call. Drops a buffer itself and waits until that is reported. */
    private static List<String> leaks() {
        String canary = CANARY + CANARIES.incrementAndGet() + '.';
        drop(canary);
        Await.until("Netty's leak detector reports a buffer that was dropped", () -> {
            System.gc();
            return Await.within(SHORTLY, () -> reported(canary));
        });
        return reports();
    }

    private static List<String> reports() {
        List<String> leaks = new ArrayList<>();
        for (String leak = LEAKS.poll(); leak != null; leak = LEAKS.poll()) {
            if (!leak.contains(CANARY)) {
                leaks.add(leak);
            }
        }
        return leaks;
    }

    private static boolean reported(String canary) {
        // The detector looks when the next buffer is made.
        UnpooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        return LEAKS.stream().anyMatch(leak -> leak.contains(canary));
    }

    @SuppressWarnings("CheckReturnValue") // dropped on purpose
    private static void drop(String canary) {
        UnpooledByteBufAllocator.DEFAULT.directBuffer(1).touch(canary);
    }

    private static final class Listening extends ResourceLeakDetectorFactory {

        @Override
        @Deprecated
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int interval, long maxActive) {
            return new Listener<>(resource, interval);
        }

        @Override
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int interval) {
            return new Listener<>(resource, interval);
        }
    }

    private static final class Listener<T> extends ResourceLeakDetector<T> {

        Listener(Class<?> resource, int interval) {
            super(resource, interval);
        }

        @Override
        public @Nullable ResourceLeakTracker<T> track(T resource) {
            return counted(super.track(resource));
        }

        @Override
        public @Nullable ResourceLeakTracker<T> trackForcibly(T resource) {
            return counted(super.trackForcibly(resource));
        }

        private static <T> @Nullable ResourceLeakTracker<T> counted(@Nullable ResourceLeakTracker<T> tracker) {
            return tracker == null ? null : new Counted<>(tracker);
        }

        @Override
        protected void reportTracedLeak(String type, String records) {
            LEAKS.add(type + ' ' + records);
            if (!records.contains(CANARY)) {
                super.reportTracedLeak(type, records);
            }
        }

        @Override
        protected void reportUntracedLeak(String type) {
            LEAKS.add(type);
            super.reportUntracedLeak(type);
        }
    }

    /** Counted until it is closed. */
    private static final class Counted<T> implements ResourceLeakTracker<T> {

        private final ResourceLeakTracker<T> tracker;
        private final AtomicLong open = openSinceBegin;

        Counted(ResourceLeakTracker<T> tracker) {
            this.tracker = tracker;
            WATCHED.incrementAndGet();
            OPEN.incrementAndGet();
            open.incrementAndGet();
        }

        @Override
        public void record() {
            tracker.record();
        }

        @Override
        public void record(Object hint) {
            tracker.record(hint);
        }

        @Override
        public boolean close(T resource) {
            boolean closed = tracker.close(resource);
            if (closed) {
                OPEN.decrementAndGet();
                open.decrementAndGet();
            }
            return closed;
        }

        @Override
        public @Nullable Throwable getCloseStackTraceIfAny() {
            return tracker.getCloseStackTraceIfAny();
        }
    }
}
