package io.weir.transport.loop;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import reactor.util.concurrent.Queues;

/**
 * Tasks from any thread for the one of a loop, and whether that one must be woken for them. A task that is accepted is
 * run; one that comes too late is refused; nothing lies in between.
 *
 * <p>No wake-up is lost: who brings a task publishes it, then looks at the state; who falls asleep sets the state, then
 * looks for tasks. A full fence stands between the two steps on either side.
 */
final class Tasks {

    /** Tasks run in one turn at most, so that a task that leaves another one can't keep the loop from its sockets. */
    private static final int BATCH = 256;

    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int ENDED = 2;

    private final Queue<Runnable> queue =
            Queues.<Runnable>unboundedMultiproducer().get();
    /** Too late for the loop; each is taken away by the thread that brought it. Guarded by this. */
    private final List<Runnable> left = new ArrayList<>();

    private final String loop;
    /** Written by the loop's thread only. */
    private volatile int state = AWAKE;

    Tasks(String loop) {
        this.loop = loop;
    }

    /**
     * Any thread.
     *
     * @return whether the loop must be woken
     */
    boolean add(Runnable task) {
        refuseAfterEnd();
        if (!queue.offer(task)) {
            throw new IllegalStateException("an unbounded queue is full");
        }
        VarHandle.fullFence();
        int seen = state;
        if (seen == ENDED) {
            refuseIfLeft(task);
        }
        return seen == ASLEEP;
    }

    /** Any thread. */
    void refuseAfterEnd() {
        if (state == ENDED) {
            throw rejected();
        }
    }

    /** Runs some of what is queued; returns how many. */
    int run(Failures failures) {
        int count = 0;
        for (Runnable task; count < BATCH && (task = queue.poll()) != null; count++) {
            failures.run(task);
        }
        return count;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    void fallAsleep() {
        state = ASLEEP;
        VarHandle.fullFence();
    }

    void wakeUp() {
        state = AWAKE;
    }

    /** Accepts nothing more. Returns what was accepted and not run. */
    synchronized List<Runnable> end() {
        state = ENDED;
        VarHandle.fullFence();
        return drain();
    }

    /**
     * The task was added while the loop ended. Either the last drain has seen it, then it is run; or it lies in the
     * queue for good, then the caller must know.
     */
    private synchronized void refuseIfLeft(Runnable task) {
        left.addAll(drain());
        for (int i = 0; i < left.size(); i++) {
            if (left.get(i) == task) {
                left.remove(i);
                throw rejected();
            }
        }
    }

    private List<Runnable> drain() {
        List<Runnable> drained = new ArrayList<>();
        for (Runnable task; (task = queue.poll()) != null; ) {
            drained.add(task);
        }
        return drained;
    }

    private RejectedExecutionException rejected() {
        return new RejectedExecutionException("the loop " + loop + " has ended");
    }
}
