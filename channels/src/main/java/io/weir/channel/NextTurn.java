package io.weir.channel;

import io.weir.core.Loop;
import java.util.concurrent.RejectedExecutionException;

/** Work that is too much for one turn of a loop. */
final class NextTurn {

    private NextTurn() {}

    /**
     * Runs the task on the loop: what a turn of the loop leaves, not before the next one; what another thread leaves,
     * as any task, so perhaps in the present turn, which has done nothing of it. Here if the loop has ended.
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
