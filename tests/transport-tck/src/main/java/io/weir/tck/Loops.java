package io.weir.tck;

import io.weir.core.Loop;
import io.weir.core.Waiting;

/** Where the tests of loops get them from, and how they use them. */
interface Loops {

    /** A new, running loop. Each test closes it. */
    Loop newLoop(String name, Waiting waiting);

    /** What happens on a loop in one test. */
    @FunctionalInterface
    interface LoopTest {
        void run(Loop loop) throws Exception;
    }

    /** Runs the test on a loop and ends that. */
    default void with(Waiting waiting, LoopTest test) throws Exception {
        Loop loop = newLoop("contract-loop", waiting);
        try {
            test.run(loop);
        } finally {
            Await.end(loop.close());
        }
    }

    static void on(Loop loop, End.Task task) {
        var unused = End.call(loop, loop.name(), () -> {
            task.run();
            return true;
        });
    }
}
