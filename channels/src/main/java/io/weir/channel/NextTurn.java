package io.weir.channel;

import io.weir.core.Loop;
import java.util.concurrent.RejectedExecutionException;

/** Work that is too much for one turn of a loop. */
final class NextTurn {

    private NextTurn() {}

    /**
     * Runs the task on the loop, or here if the loop has ended. A task that comes from a turn of the loop runs in the
     * next turn or later. A task that comes from another thread may still run in the present one.
     */
    static void run(Loop loop, Runnable task) {
        if (loop.inLoop()) {
            // A task that is queued within a turn may still run in it.
            loop.atTurnEnd(() -> queue(loop, task));
        } else {
            queue(loop, task);
        }
    }

    private static void queue(Loop loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }
}
