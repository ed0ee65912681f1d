package io.weir.channel;

import io.weir.core.Loop;
import io.weir.core.Pollable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A loop on the thread of whoever drives it: of one actor during the race, of one thread before and after. */
final class ActorLoop implements Loop {

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Runnable> hooks = new ArrayDeque<>();
    private volatile @Nullable Thread driver;

    /** Runs this on the loop, then turns until nothing is left to do. */
    void drive(Runnable first) {
        driver = Thread.currentThread();
        first.run();
        while (turn()) {
            // goes on
        }
        driver = null;
    }

    /** Turns this often, whether or not there is anything to do. */
    void turns(int count) {
        driver = Thread.currentThread();
        for (int i = 0; i < count; i++) {
            var worked = turn();
        }
        driver = null;
    }

    private boolean turn() {
        int work = 0;
        for (Runnable task; (task = tasks.poll()) != null; work++) {
            task.run();
        }
        for (Runnable hook; (hook = hooks.poll()) != null; work++) {
            hook.run();
        }
        return work > 0;
    }

    @Override
    public String name() {
        return "actor";
    }

    @Override
    public boolean inLoop() {
        return Thread.currentThread() == driver;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void atTurnEnd(Runnable hook) {
        hooks.add(hook);
    }

    @Override
    public Disposable schedule(Runnable task, Duration delay) {
        throw new UnsupportedOperationException("this loop has no clock");
    }

    @Override
    public void add(Pollable pollable) {
        throw new UnsupportedOperationException("this loop polls nothing");
    }

    @Override
    public void remove(Pollable pollable) {
        throw new UnsupportedOperationException("this loop polls nothing");
    }

    @Override
    public Disposable watch(int descriptor, Runnable onReadable) {
        throw new UnsupportedOperationException("this loop watches nothing");
    }

    @Override
    public Mono<Void> close() {
        throw new UnsupportedOperationException("this loop is its driver's");
    }
}
