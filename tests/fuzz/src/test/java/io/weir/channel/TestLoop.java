package io.weir.channel;

import io.weir.core.Loop;
import io.weir.core.Pollable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/** A loop that the test drives, with a clock of its own. Whatever a task throws reaches the test. */
public final class TestLoop implements Loop {

    private record Timer(long at, long order, Runnable task, Disposable handle) {}

    /** Far more turns than any program needs: a loop that never comes to rest is a failure. */
    private static final int MOST_TURNS = 100_000;

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final ArrayDeque<Runnable> hooks = new ArrayDeque<>();
    private final List<Pollable> pollables = new ArrayList<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::order));
    private long now;
    private long scheduled;

    /** Runs turns until nothing is left to do. */
    public void settle() {
        for (int turns = 0; turn(); turns++) {
            if (turns == MOST_TURNS) {
                throw new AssertionError("the loop does not come to rest");
            }
        }
    }

    /** One turn; whether anything was done. */
    public boolean turn() {
        int work = 0;
        for (Pollable each : List.copyOf(pollables)) {
            work += each.poll();
        }
        // What a task leaves runs in the next turn, as it may leave itself anew for ever.
        for (int left = tasks.size(); left > 0; left--, work++) {
            tasks.remove().run();
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

    /** Lets time pass: one timer after the other, as they are due. */
    public void advance(Duration time) {
        long until = now + time.toNanos();
        for (Timer next; (next = timers.peek()) != null && next.at <= until; ) {
            timers.remove();
            now = Math.max(now, next.at);
            if (!next.handle.isDisposed()) {
                Timer due = next;
                tasks.add(() -> run(due));
                settle();
            }
        }
        now = until;
        settle();
    }

    private static void run(Timer timer) {
        if (!timer.handle.isDisposed()) {
            timer.task.run();
            // As with the loops of the product: a timer that has run counts as disposed of.
            timer.handle.dispose();
        }
    }

    @Override
    public String name() {
        return "test";
    }

    @Override
    public boolean inLoop() {
        return true;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Disposable schedule(Runnable task, Duration delay) {
        Disposable handle = Disposables.single();
        timers.add(new Timer(now + delay.toNanos(), scheduled++, task, handle));
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
