package io.weir.tck;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Listens to Netty's leak detector, which otherwise only logs, and makes it speak when asked. Installed when the test
 * runner starts, because a detector that was made before can't be listened to.
 */
public final class LeakWatch implements LauncherSessionListener {

    private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();
    private static final String CANARY = "canary of the leak check, number ";
    private static final AtomicLong CANARIES = new AtomicLong();
    private static boolean installed;

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

    /** Fails if buffers were dropped without a release since the last call. */
    public static void failOnLeaks() {
        List<String> leaks = leaks();
        if (!leaks.isEmpty()) {
            throw new AssertionError(
                    leaks.size() + " buffers were dropped without a release:\n" + String.join("\n", leaks));
        }
    }

    /** Overlooks what was dropped since the last call, for tests that drop on purpose. */
    static void forget() {
        var unused = leaks();
    }

    /**
     * The reports since the last call. Drops a buffer itself and waits until that is reported: so a detector that is
     * deaf or switched off is a failure.
     */
    private static List<String> leaks() {
        String canary = CANARY + CANARIES.incrementAndGet() + '.';
        drop(canary);
        Await.until(
                "Netty's leak detector reports a buffer that was dropped; it does so only if LeakWatch is installed"
                        + " before the first buffer is made",
                () -> reported(canary));
        List<String> leaks = new ArrayList<>();
        for (String leak = LEAKS.poll(); leak != null; leak = LEAKS.poll()) {
            if (!leak.contains(CANARY)) {
                leaks.add(leak);
            }
        }
        return leaks;
    }

    private static boolean reported(String canary) {
        System.gc();
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
}
