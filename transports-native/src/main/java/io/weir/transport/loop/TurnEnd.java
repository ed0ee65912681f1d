package io.weir.transport.loop;

import java.util.ArrayDeque;

/** What was left for the end of the current turn. Loop thread only. */
final class TurnEnd {

    private final ArrayDeque<Runnable> hooks = new ArrayDeque<>();

    void add(Runnable hook) {
        hooks.add(hook);
    }

    boolean isEmpty() {
        return hooks.isEmpty();
    }

    /** Runs hooks until none is left, those that hooks leave included. */
    void run(Failures failures) {
        for (Runnable hook; (hook = hooks.poll()) != null; ) {
            failures.run(hook);
        }
    }
}
