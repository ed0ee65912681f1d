package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A loop that is the test's thread: what other threads leave runs when the test says so. */
final class LeftTasks {

    private final Thread owner = Thread.currentThread();
    private final BlockingQueue<Runnable> left = new LinkedBlockingQueue<>();

    /** As a session does it: at once on the loop. */
    void execute(Runnable task) {
        if (Thread.currentThread() == owner) {
            task.run();
        } else {
            left.add(task);
        }
    }

    /** Runs the next one, which another thread leaves or has left. */
    void runNext() throws InterruptedException {
        Objects.requireNonNull(left.poll(10, TimeUnit.SECONDS), "nobody leaves anything")
                .run();
    }

    void assertNothingIsLeft() {
        assertThat(left).isEmpty();
    }
}
