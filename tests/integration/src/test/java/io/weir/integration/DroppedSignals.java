package io.weir.integration;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Hooks;

/** Fails a test in which somebody signalled to a subscriber that had its last signal already. */
public final class DroppedSignals implements BeforeEachCallback, AfterEachCallback {

    /** Each says which signal it was, and from where it came. */
    private final Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();

    @Override
    public void beforeEach(ExtensionContext context) {
        dropped.clear();
        Hooks.onErrorDropped(error -> add("onError: " + error));
        Hooks.onNextDropped(value -> add("onNext: " + value));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Hooks.resetOnErrorDropped();
        Hooks.resetOnNextDropped();
        if (!dropped.isEmpty()) {
            AssertionError failure = new AssertionError("signals that nobody took: "
                    + dropped.stream().map(Throwable::getMessage).toList());
            dropped.forEach(failure::addSuppressed);
            throw failure;
        }
    }

    private void add(String signal) {
        dropped.add(new Throwable(signal + " on " + Thread.currentThread().getName()));
    }
}
