package io.weir.test;

import java.util.ArrayList;
import java.util.List;

/** What has gone wrong while everything was ended: all of it, as one failure of the test. */
final class Complaints {

    private final List<String> texts = new ArrayList<>();
    private final List<Throwable> thrown = new ArrayList<>();

    void add(String text) {
        texts.add(text);
    }

    /** Does this; what it throws does not keep anybody from going on. */
    void gather(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | AssertionError e) {
            texts.add(String.valueOf(e.getMessage()));
            thrown.add(e);
        }
    }

    /** @throws AssertionError if there are any, with what was thrown suppressed in it */
    void raise() {
        if (!texts.isEmpty()) {
            AssertionError all = new AssertionError(String.join("\n", texts));
            thrown.forEach(all::addSuppressed);
            throw all;
        }
    }
}
