package io.weir.fabric.guest;

import org.reactivestreams.tck.TestEnvironment;

/** How long the rules of Reactive Streams are waited for. */
final class Rules {

    /** Reached only when something hangs. */
    static final long PATIENCE_MILLIS = 30_000;

    /** In which nothing may come that was not asked for: each of many tests waits for so long. */
    private static final long SILENCE_MILLIS = 50;

    private Rules() {}

    static TestEnvironment environment() {
        return new TestEnvironment(PATIENCE_MILLIS, SILENCE_MILLIS);
    }
}
