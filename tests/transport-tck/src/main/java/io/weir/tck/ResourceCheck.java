package io.weir.tck;

import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that fails a test which leaves something behind: a descriptor, a shared mapping, a thread, or a
 * buffer of Netty's that was dropped without a release. Usable by every module; on another system than Linux it counts
 * threads and buffers only.
 *
 * <p>A class that opens something once and for all may do so in a {@code @BeforeAll} method.
 */
public final class ResourceCheck implements BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(ResourceCheck.class);

    static {
        LeakWatch.install();
        ProcessResources.warmUp();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        store(context).put("before", ProcessResources.now());
        LeakWatch.begin();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        ProcessResources before = store(context).get("before", ProcessResources.class);
        Supplier<String> surplus =
                () -> String.join("\n  ", ProcessResources.now().without(before));
        Await.until(
                () -> "left behind by the test:\n  " + surplus.get(),
                () -> surplus.get().isEmpty());
        LeakWatch.failOnLeaksOfTest();
    }

    /** What several tests share may be dropped by none of them, or by one that did not make it. */
    @Override
    public void afterAll(ExtensionContext context) {
        LeakWatch.failOnLeaks();
    }

    private static ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(NAMESPACE);
    }
}
