package io.weir.transport.loop;

import io.weir.core.ReusedList;

/** What was left for the end of the current turn. Loop thread only. */
final class TurnEnd {

    private final ReusedList<Runnable> hooks = new ReusedList<>();

    void add(Runnable hook) {
        hooks.add(hook);
    }

    boolean isEmpty() {
        return hooks.isEmpty();
    }

    /** Runs hooks until none is left, those that hooks leave included. */
    void run(Failures failures) {
        if (hooks.isEmpty()) {
            return;
        }
        for (int next = 0; next < hooks.size(); next++) {
            failures.run(hooks.get(next));
        }
        hooks.clear();
    }

    /** The loop is about to sleep: keeps nothing alive meanwhile. */
    void forget() {
        hooks.forget();
    }
}
