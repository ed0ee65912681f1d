package io.weir.channel;

import io.weir.core.Loop;
import io.weir.core.Pollable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/** A loop that the test's own thread drives, step by step, with a clock of its own: the same order in every run. */
public final class ManualLoop implements Loop {

    private record Timer(long at, Runnable task, Disposable handle) {}

    private final Thread owner = Thread.currentThread();
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Runnable> hooks = new ArrayDeque<>();
    private final List<Pollable> pollables = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::at));
    private long now;

    /** Runs turns until nothing is left to do. */
    public void settle() {
        while (turn()) {
            // goes on
        }
    }

    /** One turn; whether anything was done. */
    boolean turn() {
        int work = 0;
        for (Pollable each : List.copyOf(pollables)) {
            work += each.poll();
        }
        for (Runnable task; (task = tasks.poll()) != null; work++) {
            task.run();
        }
        for (Runnable hook; (hook = hooks.poll()) != null; work++) {
            hook.run();
        }
        return work > 0;
    }

    /** Timers that have neither run nor been disposed of. */
    public long timers() {
        return timers.stream().filter(timer -> !timer.handle.isDisposed()).count();
    }

    /** Lets time pass and settles. */
    public void advance(Duration time) {
        now += time.toNanos();
        while (!timers.isEmpty() && timers.peek().at <= now) {
            Timer due = timers.remove();
            if (!due.handle.isDisposed()) {
                tasks.add(due.task);
            }
        }
        settle();
    }

    @Override
    public String name() {
        return "manual";
    }

    @Override
    public boolean inLoop() {
        return Thread.currentThread() == owner;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Disposable schedule(Runnable task, Duration delay) {
        Disposable handle = Disposables.single();
        timers.add(new Timer(now + delay.toNanos(), task, handle));
        return handle;
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
        throw new UnsupportedOperationException("this loop watches nothing");
    }

    @Override
    public Mono<Void> close() {
        return Mono.empty();
    }
}
