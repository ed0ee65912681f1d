package io.weir.integration;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Hooks;

/** Fails a test in which somebody signalled to a subscriber that had its last signal already. */
public final class DroppedSignals implements BeforeEachCallback, AfterEachCallback {

    private final Queue<String> dropped = new ConcurrentLinkedQueue<>();

    @Override
    public void beforeEach(ExtensionContext context) {
        dropped.clear();
        Hooks.onErrorDropped(error -> dropped.add("onError: " + error));
        Hooks.onNextDropped(value -> dropped.add("onNext: " + value));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Hooks.resetOnErrorDropped();
        Hooks.resetOnNextDropped();
        if (!dropped.isEmpty()) {
            throw new AssertionError("signals that nobody took: " + dropped);
        }
    }
}
