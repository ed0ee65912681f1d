package io.weir.tck;

import io.weir.core.Loop;
import io.weir.core.Pollable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A loop without sockets, as simple as possible, so that the contracts can be tried without any adapter. */
final class TestLoop implements Loop {

    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private boolean ending;
    private long lastTimer;

    /* Of the loop's thread. */
    private final List<Pollable> pollables = new ArrayList<>();
    private final Queue<Runnable> hooks = new ArrayDeque<>();

    TestLoop(String name) {
        thread = new Thread(this::run, name);
        thread.start();
    }

    private record Timer(long due, long number, Runnable task, Disposable disposed) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            int order = Long.compare(due - other.due, 0);
            return order != 0 ? order : Long.compare(number, other.number);
        }
    }

    @Override
    public String name() {
        return thread.getName();
    }

    @Override
    public boolean inLoop() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            if (ending) {
                throw new RejectedExecutionException(name() + " has ended");
            }
            tasks.add(task);
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Disposable schedule(Runnable task, Duration delay) {
        Disposable disposed = Disposables.single();
        lock.lock();
        try {
            if (ending) {
                throw new RejectedExecutionException(name() + " has ended");
            }
            timers.add(new Timer(System.nanoTime() + delay.toNanos(), lastTimer++, task, disposed));
            work.signal();
        } finally {
            lock.unlock();
        }
        return disposed;
    }

    @Override
    public void atTurnEnd(Runnable hook) {
        hooks.add(hook);
    }

    @Override
    public void add(Pollable pollable) {
        pollables.add(pollable);
    }

    @Override
    public void remove(Pollable pollable) {
        pollables.remove(pollable);
    }

    @Override
    public Disposable watch(int descriptor, Runnable onReadable) {
        throw new UnsupportedOperationException("a test loop watches no descriptors");
    }

    @Override
    public Mono<Void> close() {
        return Mono.<Void>fromRunnable(() -> {
                    end();
                    join();
                })
                .subscribeOn(Schedulers.boundedElastic());
    }

    private void end() {
        lock.lock();
        try {
            ending = true;
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    private void join() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        boolean ended = false;
        while (!ended) {
            int done = 0;
            for (Pollable pollable : List.copyOf(pollables)) {
                done += pollables.contains(pollable) ? pollable.poll() : 0;
            }
            List<Runnable> due = due();
            due.forEach(this::safely);
            for (Runnable hook = hooks.poll(); hook != null; hook = hooks.poll()) {
                safely(hook);
            }
            ended = done == 0 && due.isEmpty() && rest();
        }
    }

    private void safely(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }

    /** The tasks there are now, and the timers that are due. */
    private List<Runnable> due() {
        lock.lock();
        try {
            List<Runnable> due = new ArrayList<>(tasks);
            tasks.clear();
            while (!timers.isEmpty() && timers.peek().due - System.nanoTime() <= 0) {
                Timer timer = timers.remove();
                due.add(() -> {
                    if (!timer.disposed.isDisposed()) {
                        timer.disposed.dispose();
                        timer.task.run();
                    }
                });
            }
            return due;
        } finally {
            lock.unlock();
        }
    }

    /** Sleeps until there is work; true when the loop shall end. */
    private boolean rest() {
        boolean idle = true;
        List<Pollable> asleep = List.copyOf(pollables);
        for (Pollable pollable : asleep) {
            idle &= pollable.asleep();
        }
        try {
            return idle && sleep();
        } finally {
            asleep.forEach(Pollable::awake);
        }
    }

    private boolean sleep() {
        lock.lock();
        try {
            while (tasks.isEmpty() && !ending) {
                if (timers.isEmpty()) {
                    work.await();
                } else if (work.awaitNanos(timers.element().due - System.nanoTime()) <= 0) {
                    return false;
                }
            }
            return tasks.isEmpty();
        } catch (InterruptedException e) {
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends it, from a test. */
    void end(Duration patience) throws InterruptedException {
        end();
        TimeUnit.NANOSECONDS.timedJoin(thread, patience.toNanos());
        if (thread.isAlive()) {
            throw new AssertionError(name() + " does not end");
        }
    }
}
