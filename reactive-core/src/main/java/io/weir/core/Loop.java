package io.weir.core;

import java.time.Duration;
import java.util.concurrent.Executor;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * The one thread that owns a set of sessions and their links: it polls rings, handles sockets, runs tasks and timers,
 * and sleeps when none of them has anything to do.
 *
 * <p>A turn is: poll each {@link Pollable}, sockets when they are due, tasks, then what was left {@link #atTurnEnd}.
 */
public interface Loop extends Executor {

    /** The thread's name. */
    String name();

    /** Whether the caller runs on this loop's thread. */
    boolean inLoop();

    /**
     * Runs the task on the loop's thread, later, in order with the other tasks of the same caller. Any thread may call.
     *
     * @throws java.util.concurrent.RejectedExecutionException after the loop has ended
     */
    @Override
    void execute(Runnable task);

    /**
     * Runs the task now if the caller is {@link #inLoop}, else as {@link #execute} does. Any thread may call.
     *
     * @throws java.util.concurrent.RejectedExecutionException after the loop has ended
     */
    default void runInLoop(Runnable task) {
        if (inLoop()) {
            task.run();
        } else {
            execute(task);
        }
    }

    /** Runs the task on the loop's thread once, not before the delay has passed. Any thread may call. */
    Disposable schedule(Runnable task, Duration delay);

    /**
     * Runs the hook once when the current turn ends, before the loop polls again or sleeps. Hooks may leave further
     * hooks. On the loop's thread only.
     */
    void atTurnEnd(Runnable hook);

    /** Polls this in every turn from now on. On the loop's thread only. */
    void add(Pollable pollable);

    /** Does not poll this any longer, also not later in the current turn. On the loop's thread only. */
    void remove(Pollable pollable);

    /**
     * Calls {@code onReadable} on the loop's thread whenever this descriptor becomes readable (edge-triggered: it must
     * be read until nothing is left). The descriptor stays the caller's, who disposes the watch before closing it. On
     * the loop's thread only.
     *
     * @throws UnsupportedOperationException where the loop has no native event mechanism
     */
    Disposable watch(int descriptor, Runnable onReadable);

    /**
     * Takes the loop over from its own thread, while that sleeps or looks for work in vain. From here to
     * {@link #giveBack} the caller is {@link #inLoop()}, and everything that belongs to the loop is its own; but it
     * must not touch sockets, and may do only what is short. It holds nothing else back: tasks, timers and sockets wake
     * the loop's thread, which then {@link #isWanted wants} the loop.
     *
     * @return false if the loop's thread is at work or waits to be, if another one has borrowed it or the caller is a
     *     loop's thread, or if this loop is never lent. One that only looks for work lets go of it shortly after.
     */
    default boolean tryBorrow() {
        return false;
    }

    /** Whether the loop's own thread waits for what was borrowed. By who has borrowed it only. */
    default boolean isWanted() {
        return false;
    }

    /**
     * Ends a turn of who has borrowed the loop: runs what was left {@link #atTurnEnd}.
     *
     * @throws IllegalStateException if some of this has failed; all of it was run
     */
    default void endTurn() {}

    /**
     * Gives back what was borrowed. What is still left {@link #atTurnEnd} is run by the loop's own thread.
     *
     * @param recall whether the loop's own thread has to look now at what it polls
     */
    default void giveBack(boolean recall) {}

    /**
     * How often something kept the loop from its work for 10 ms or more: a slow subscriber or handler, or a machine
     * that gave it no processor. 0 for loops that do not count it. Any thread may call.
     */
    default long stalls() {
        return 0;
    }

    /** How often the loop has slept until something woke it. 0 for loops that do not count it. Any thread may call. */
    default long wakeUps() {
        return 0;
    }

    /**
     * Yields what the loop's thread has died of, if it does so without having been {@link #close closed}: an error of
     * the JVM or of the loop itself, as what tasks throw does not end it. Everything that belongs to such a loop has
     * ended, and {@link #execute} is refused. Never completes otherwise. Signals come on the thread that dies.
     */
    default Mono<Throwable> died() {
        return Mono.never();
    }

    /**
     * Ends the loop after the tasks that are already queued; what is still registered is closed. Any thread may call;
     * the thread has ended when the returned {@code Mono} completes.
     */
    Mono<Void> close();
}
