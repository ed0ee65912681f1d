package io.weir.channel;

import io.weir.core.Loop;
import java.util.concurrent.RejectedExecutionException;

/** Work that is too much for one turn of a loop. */
final class NextTurn {

    private NextTurn() {}

    /** Runs the task on the loop, not before its next turn, or here if the loop has ended. Any thread may call. */
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
